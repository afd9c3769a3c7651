import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

/** As in the query of the list, so that a view is a link. */
const filters = z
  .record(z.string().regex(/^[a-zA-Z]{1,30}$/), z.string().max(200))
  .describe('Query parameters of `GET /conversations`.');

export const InboxView = z
  .object({
    id: idOf('inboxView'),
    name: z.string(),
    filters,
    isShared: z.boolean().describe('Whether all members see it.'),
    createdBy: z.string(),
    createdAt: z.date(),
  })
  .meta({ id: 'InboxView' });
export type InboxView = z.infer<typeof InboxView>;

export const InboxViews = z.object({ data: z.array(InboxView).describe('By name, up to 100.') });
export const OneInboxView = z.object({ view: InboxView });
export const InboxViewId = z.object({ id: idOf('inboxView') });
export const CreateInboxView = z.strictObject({
  name: z.string().trim().min(1).max(60),
  filters: filters.refine((value) => Object.keys(value).length <= 15, 'Up to 15 filters.'),
  isShared: z.boolean().default(false),
});
