import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { advice } from './advice.ts';
import { adviseInvocation, scrub } from '../invocations/describe.ts';
import { evaluateDatabase, evaluateMailer, evaluateRestate, evaluateSweeper, evaluateValkey } from './evaluate.ts';

const namesOf = (part: { verdict: string; advice: { name: string }[] }) => [
  part.verdict,
  ...part.advice.map(({ name }) => name),
];

test('the advice matches the headings of the runbook', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../../docs/runbooks/on-call.md'), 'utf8');
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name = '']) => name);
  expect(headings.toSorted()).toEqual(Object.keys(advice).toSorted());
});

const healthy = {
  ms: 3,
  connections: 10,
  maxConnections: 100,
  oldestTransactionSeconds: 1,
  bytes: 1,
  replicaLagSeconds: null,
  partitionDaysAhead: 14,
};
test.each([
  [{}, ['ok']],
  [{ ms: 251 }, ['slow', 'postgresql-slow']],
  [{ connections: 81 }, ['degraded', 'postgresql-connections']],
  [{ ms: 300, oldestTransactionSeconds: 301 }, ['degraded', 'postgresql-long-transaction', 'postgresql-slow']],
  [{ replicaLagSeconds: 31 }, ['degraded', 'postgresql-replica-late']],
  [{ partitionDaysAhead: 2 }, ['degraded', 'postgresql-partitions']],
])('evaluates PostgreSQL with %j as %j', (change, expected) => {
  expect(namesOf(evaluateDatabase({ ...healthy, ...change }))).toEqual(expected);
});

test.each([
  [{}, ['ok']],
  [{ ingressMs: undefined }, ['away', 'restate-away']],
  [{ isAdminSet: false, deployments: undefined, counts: undefined }, ['ok', 'restate-admin-unset']],
  [{ deployments: undefined, counts: undefined }, ['degraded', 'restate-admin-away']],
  [{ deployments: 0 }, ['degraded', 'restate-no-deployment']],
  [{ counts: { paused: 1 } }, ['degraded', 'restate-paused']],
  [{ counts: { 'backing-off': 9 } }, ['ok']],
  [{ counts: { 'backing-off': 10 } }, ['degraded', 'restate-backing-off']],
])('evaluates Restate with %j as %j', (change, expected) => {
  expect(namesOf(evaluateRestate({ ingressMs: 2, isAdminSet: true, deployments: 1, counts: {}, ...change }))).toEqual(
    expected,
  );
});

test('evaluates Valkey, the sweeper and the mailer', () => {
  expect(namesOf(evaluateValkey(undefined))).toEqual(['away', 'valkey-away']);
  expect(namesOf(evaluateValkey({ ms: 1, bytes: 95, maxBytes: 100, evicted: 0 }))).toEqual([
    'degraded',
    'valkey-memory',
  ]);
  expect(namesOf(evaluateValkey({ ms: 1, bytes: 95, maxBytes: null, evicted: 0 }))).toEqual(['ok']);
  const now = new Date();
  const row = (kind: string, lastHour: number) => ({ kind, lastHour, lastDay: lastHour, lastAt: now });
  expect(namesOf(evaluateSweeper([], now))).toEqual(['degraded', 'sweeper-silent']);
  expect(namesOf(evaluateSweeper(undefined, now))).toEqual(['ok']); // not measured; PostgreSQL's own entry reports that
  expect(namesOf(evaluateSweeper([row('', 9), row('turn', 100)], now))).toEqual(['degraded', 'sweeper-busy']);
  expect(namesOf(evaluateSweeper([row('', 9), row('tenant-erasure', 100)], now))).toEqual(['ok']);
  const emails = { waiting: 0, isMore: false, oldestSeconds: null };
  expect(namesOf(evaluateMailer({ ...emails, failed: 1 }))).toEqual(['ok', 'emails-failed']);
  expect(namesOf(evaluateMailer({ ...emails, failed: 10 }))).toEqual(['degraded', 'emails-failed']);
});

const failing = {
  service: 'Conversation',
  createdAt: new Date().toISOString(),
  failure: 'boom',
  failureCode: 'RT0007',
};
test.each([
  [{ status: 'paused' }, 'then resume it'],
  [{ status: 'backing-off' }, 'being retried'],
  [{ status: 'backing-off', createdAt: new Date(0).toISOString() }, 'failing for hours'],
  [{ status: 'backing-off', failureCode: 'RT0010' }, 'can’t reach the worker'],
  [{ status: 'paused', failureCode: 'RT0016' }, 'Kill it'],
  [{ status: 'paused', failureCode: 'RT0011' }, 'No registered worker'],
  [{ status: 'scheduled' }, 'No action needed'],
])('advice for an invocation with %j contains: %s', (change, text) => {
  expect(adviseInvocation({ ...failing, ...change }, Date.now())).toContain(text);
});

test('scrub keeps one line, without stack, email addresses, secrets and long quotes', () => {
  const failure = `[500 Internal] model said "${'a private sentence '.repeat(3)}" to ada@example.com with sc_live_abcdefghijklmnop\n    at x.ts:1`;
  expect(scrub(failure)).toBe('model said "…" to [email] with sc_live_[redacted]');
  expect(scrub('x'.repeat(900))).toHaveLength(500);
  expect(scrub(null)).toBeNull();
});
