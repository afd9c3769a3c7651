import type { Id } from '../../platform/ids.contract.ts';
import type { Subscriber } from '../../platform/relay.ts';
import type { Engine } from '../../platform/restate.ts';
import type { TimerHandlers } from '../../platform/timers.ts';
import { runTimer } from './ledger.ts';
import type { ActionRun } from './runs.contract.ts';
import { wakeRun } from './waking.ts';

/** A run that was agreed to goes on; a workflow goes on when a step of it has ended. */
export const wakeRuns =
  (engine: Engine): Subscriber =>
  async (tenantId, events) => {
    for (const { type, body, traceparent } of events) {
      if (!/^action\.(answered|succeeded|failed|reconciled)$/.test(type)) continue;
      const { object } = (JSON.parse(body) as { data: { object: ActionRun } }).data;
      if (type === 'action.answered') await wakeRun(engine, { tenantId, runId: object.id }, traceparent);
      if (object.parentId) await wakeRun(engine, { tenantId, runId: object.parentId }, traceparent);
    }
  };

/** For the sweeper. */
export const overdueRuns = (engine: Engine): TimerHandlers => ({
  [runTimer]: ({ tenantId, subjectId }) => wakeRun(engine, { tenantId, runId: subjectId as Id<'actionRun'> }),
});
