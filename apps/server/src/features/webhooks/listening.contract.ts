import { z } from 'zod';

const listenerId = z.string().regex(/^[\w-]{16,64}$/);

export const Answer = z.strictObject({
  id: z.string().max(64),
  attempt: z.int().min(0),
  status: z.int().min(100).max(599).nullable().describe('Null: no answer came, and `error` says why.'),
  error: z.enum(['connect_failed', 'timeout', 'reset']).nullable().default(null),
  headers: z.record(z.string().max(100), z.string().max(2_048)).default({}),
  body: z
    .string()
    .max(256 * 1024)
    .default(''),
  ms: z.int().min(0).max(3_600_000),
});
export type Answer = z.infer<typeof Answer>;

export const Listen = z.strictObject({
  listenerId: listenerId.describe('Made up by whoever listens. The newest one is served; an older one gets 409.'),
  isFirst: z.boolean().default(false).describe('Takes over from whoever listened before.'),
  isLast: z.boolean().default(false).describe('Goes, and leaves the endpoint to others. Nothing is given out.'),
  want: z
    .enum(['events', 'calls'])
    .describe(
      '`events`: what waits, oldest first, one at a time. `calls`: actions and tests, somebody waits for these.',
    ),
  answer: Answer.nullable().default(null).describe('What became of the last one. Without it, that is given out again.'),
  wait: z.int().min(0).max(25).default(20).describe('How long to wait for one.'),
});
export type Listen = z.infer<typeof Listen>;

export const Heard = z.object({
  call: z
    .object({
      id: z.string(),
      attempt: z.int(),
      eventType: z.string(),
      headers: z
        .record(z.string(), z.string())
        .describe('To be sent with it, signed now with the endpoint’s own secret. Of its own headers only the names.'),
      body: z.string().describe('To be sent byte for byte, as UTF-8.'),
      timeoutMs: z.int(),
    })
    .nullable(),
  waiting: z.int().describe('How many more wait.'),
});
export type Heard = z.infer<typeof Heard>;
