/**
 * Every field of the log lines of API and worker, besides those of each line. docs/operators/logs.md explains them, and a test
 * compares the two.
 */
export const logFields = [
  // Which request, and whose
  'requestId',
  'traceId',
  'tenantId',
  'conversationId',
  'turnId',
  'runId',
  'botId',
  'webhookId',
  'deliveryId',
  'eventId',
  'emailId',
  // What happened
  'method',
  'route',
  'status',
  'ms',
  'mode',
  'outcome',
  'reason',
  'attempt',
  'attempts',
  'failures',
  'retryInSeconds',
  'err',
  'error',
  'problem',
  // Where
  'invocation',
  'invocationId',
  'chore',
  'timer',
  'timers',
  'kind',
  'pool',
  'model',
  'step',
  'seconds',
  'worker',
  'lanes',
  'endpoints',
  'invocations',
  // About the process
  'url',
  'port',
  'version',
  'latest',
  'signal',
  'open',
  'maxMs',
  'dir',
  'finding',
  'settings',
  'setting',
  'network',
  'warning',
  // Of an audit log
  'sequence',
  'entryId',
  'hash',
] as const;

export type LogFields = Partial<Record<(typeof logFields)[number], unknown>>;
