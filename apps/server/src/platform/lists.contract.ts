import { z } from 'zod';

/** The query of every list. Filters are added with `.extend`; unknown parameters are rejected. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25).describe('Maximum number of results.'),
  cursor: z.string().max(200).optional().describe('`nextCursor` from the previous page.'),
});
export type ListQuery = z.infer<typeof ListQuery>;

export const Page = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable().describe('null on the last page.') });
