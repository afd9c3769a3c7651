import { DatabaseError } from 'pg';
import { createHistogram } from './histogram.ts';

/** Calls of PostgreSQL and Valkey. Most take less than a millisecond. */
const operations = createHistogram({
  name: 'db_client_operation_duration_seconds',
  help: 'Time of a statement or command, from sending it to its result. Statements that are sent together wait for those before them.',
  labelNames: ['db_system_name', 'error_type'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
/** The error type is empty for success. */
export const statementDone = operations.with({ db_system_name: 'postgresql', error_type: '' });
export const commandDone = operations.with({ db_system_name: 'valkey', error_type: '' });
export const statementFailed = (error: unknown) =>
  operations.with({ db_system_name: 'postgresql', error_type: databaseErrorType(error) });
export const commandFailed = (error: unknown) =>
  operations.with({ db_system_name: 'valkey', error_type: isTimeout(error) ? 'timeout' : 'error' });

/** The SQLSTATE, as OpenTelemetry's conventions have it, or what happened without a response. */
function databaseErrorType(error: unknown): string {
  if (error instanceof DatabaseError) return error.code ?? 'error';
  if (isTimeout(error)) return 'timeout';
  return error instanceof Error && /terminated|ECONN|EPIPE|not queryable/i.test(error.message) ? 'connection' : 'error';
}
const isTimeout = (error: unknown) => error instanceof Error && /time(d )?out/i.test(error.message);

const restateRequests = createHistogram({
  name: 'parley_restate_request_duration_seconds',
  help: 'Time of a request to Restate, by what it was for.',
  labelNames: ['operation', 'outcome'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});

/** `send` returns before the handler has run, `call` with its result. */
export type RestateOperation = 'send' | 'call' | 'health' | 'admin';
export const restateRequestDone = (operation: RestateOperation, status: number | undefined) =>
  restateRequests.with({ operation, outcome: isCarriedOut(operation, status) ? 'succeeded' : 'failed' });

/** What an invocation's state does not allow. Other requests to the admin API, and all calls, are expected to be accepted. */
const aboutInvocations = [404, 409, 425];

/** Undefined: there was no response. A service that is not registered (404) or a wrong token is a failure, too. */
function isCarriedOut(operation: RestateOperation, status: number | undefined): boolean {
  if (status === undefined) return false;
  return status < 400 || (operation === 'admin' && aboutInvocations.includes(status));
}
