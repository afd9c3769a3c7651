import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { RestateClient } from '../../platform/restate-client.ts';
import type { TimerHandlers } from '../../platform/timers.ts';
import { runTimer } from './run/runs.ts';
import type { ActionRun } from './run/runs.contract.ts';
import { wakeRun } from './run/action-run.interface.ts';

/** Wakes a run when its visitor has answered, and a workflow when one of its steps has ended. */
export const wakeRuns =
  (restate: RestateClient): Subscriber =>
  async (tenantId, events) => {
    for (const { type, body, traceparent } of events) {
      if (!/^action\.(answered|succeeded|failed|unknown|reconciled)$/.test(type)) continue;
      const { object } = (JSON.parse(body) as { data: { object: ActionRun } }).data;
      if (type === 'action.answered') await wakeRun(restate, { tenantId, runId: object.id }, { traceparent });
      if (object.parentId) await wakeRun(restate, { tenantId, runId: object.parentId }, { traceparent });
    }
  };

/** Timer handlers for the sweeper. */
export const overdueRuns = (restate: RestateClient): TimerHandlers => ({
  [runTimer]: ({ tenantId, subjectId, callKey }) =>
    wakeRun(restate, { tenantId, runId: subjectId as Id<'actionRun'> }, { idempotencyKey: callKey }),
});
