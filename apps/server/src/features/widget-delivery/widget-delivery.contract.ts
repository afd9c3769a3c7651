import { z } from 'zod';
import { Availability } from '../business-hours/business-hours.contract.ts';
import { WidgetConfig } from '../widget-sessions/widget-sessions.contract.ts';

export const FileName = z.object({ file: z.string().min(1).max(200) });
export const BotId = z.object({ botId: z.string().min(1).max(80) });

const key = z.string().min(1).max(200).describe('The widget key of the page.');
export const SetupQuery = z.strictObject({ key });
export const FrameQuery = z.strictObject({
  key,
  v: z.string().max(40).optional().describe('Version of the widget. An unknown one falls back to the current version.'),
});

/** Configuration that the widget loads before it opens a session. */
export const WidgetSetup = WidgetConfig.extend({
  apiUrl: z.string().describe('Base URL for sessions and messages.'),
  retentionDays: z.int().describe('How long conversations are kept after their last message.'),
  availability: Availability.optional().describe(
    'Whether your team replies now. Only if the workspace has business hours; up to five minutes old, because of caching.',
  ),
}).meta({ id: 'WidgetSetup' });
export type WidgetSetup = z.infer<typeof WidgetSetup>;

const fileName = z.string().regex(/^[\w.-]+$/);
/** Files of each version. Written by the widget's build. */
export const Manifest = z.object({
  current: z.string(),
  versions: z.record(
    z.string(),
    z.object({ frame: fileName, files: z.record(fileName, z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/)) }),
  ),
});
