import { z } from 'zod';

const listenerId = z.string().regex(/^[\w-]{16,64}$/);

export const CallResult = z.strictObject({
  id: z.string().max(64),
  attempt: z.int().min(0),
  status: z.int().min(100).max(599).nullable().describe('null: there was no response. See `error`.'),
  error: z.enum(['connect_failed', 'timeout', 'reset']).nullable().default(null),
  headers: z.record(z.string().max(100), z.string().max(2_048)).default({}),
  body: z
    .string()
    .max(256 * 1024)
    .default(''),
  ms: z.int().min(0).max(3_600_000),
});
export type CallResult = z.infer<typeof CallResult>;

export const Listen = z.strictObject({
  listenerId: listenerId.describe('Chosen by the listener. Only the newest listener is served; older ones get 409.'),
  isFirst: z.boolean().default(false).describe('Takes over from an earlier listener.'),
  isLast: z.boolean().default(false).describe('Stops listening. Nothing is returned.'),
  want: z
    .enum(['events', 'calls'])
    .describe(
      '`events`: queued events, oldest first, one at a time. `calls`: actions and tests, which someone is waiting for.',
    ),
  answer: CallResult.nullable()
    .default(null)
    .describe('The result of the last request. Without it, the same request is returned again.'),
  wait: z.int().min(0).max(25).default(20).describe('How long to wait for a request.'),
});
export type Listen = z.infer<typeof Listen>;

export const ListenResponse = z.object({
  call: z
    .object({
      id: z.string(),
      attempt: z.int(),
      eventType: z.string(),
      headers: z
        .record(z.string(), z.string())
        .describe(
          'Headers to send with it, signed now with the endpoint’s secret. Custom headers are listed by name only.',
        ),
      body: z.string().describe('Send these bytes unchanged, as UTF-8.'),
      timeoutMs: z.int(),
    })
    .nullable(),
  waiting: z.int().describe('How many more are queued.'),
});
export type ListenResponse = z.infer<typeof ListenResponse>;
