import { expect, test } from 'vitest';
import { maxTimeoutMs } from '../../src/features/actions/actions.contract.ts';
import { attemptMs } from '../../src/features/actions/run/action-run.workflow.ts';
import { pageMs } from '../../src/features/knowledge/ingest/crawl.ts';
import { limits } from '../../src/features/knowledge/ingest/reader/limits.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { startMs, unitMs } from '../../src/platform/invocation-limits.ts';
import { settings } from '../harness.ts';

// What each handler does with these limits is in ARCHITECTURE.md, and test/invocations shows that it stops in time.

test('an invocation that starts its last unit of work in time ends a second before a stopping worker does', () => {
  const { STOP_GRACE_SECONDS: graceSeconds } = loadConfig(settings());
  expect(startMs + unitMs).toBeLessThanOrEqual((graceSeconds - 1) * 1_000);
  expect(2 * attemptMs + maxTimeoutMs, 'a multi-step action waits for its step').toBeLessThanOrEqual(
    (graceSeconds - 1) * 1_000,
  );
});

test('no unit of work takes longer than it may', () => {
  expect(maxTimeoutMs, 'a request to a tenant’s backend').toBeLessThanOrEqual(unitMs);
  expect(limits.ms, 'reading a document').toBeLessThanOrEqual(unitMs);
  expect(pageMs, 'fetching a page, with some time left to read it').toBeLessThanOrEqual(unitMs - 3_000);
});
