import { z } from 'zod';
import { idOf } from '../../platform/ids.contract.ts';

const name = z.string().trim().min(1).max(60).describe('What agents type after `/` to find it.');
const text = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .describe(
    'May contain `{{visitor.name}}`, `{{visitor.email}}`, `{{agent.name}}` and `{{bot.name}}`, filled in when it is inserted.',
  );

export const SavedReply = z
  .object({
    id: idOf('savedReply'),
    name: z.string(),
    text: z.string(),
    createdBy: z.string(),
    createdAt: z.date(),
    updatedAt: z.date(),
  })
  .meta({ id: 'SavedReply' });
export type SavedReply = z.infer<typeof SavedReply>;

export const SavedReplies = z.object({ data: z.array(SavedReply).describe('By name, up to 500.') });
export const OneSavedReply = z.object({ savedReply: SavedReply });
export const SavedReplyId = z.object({ id: idOf('savedReply') });
export const CreateSavedReply = z.strictObject({ name, text });
export const UpdateSavedReply = CreateSavedReply.partial();
