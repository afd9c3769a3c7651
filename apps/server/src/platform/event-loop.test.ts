import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { watchEventLoop } from './event-loop.ts';

function watched() {
  const lines: { msg: string; maxMs: number }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const metrics = new Registry();
  return { lines, metrics, ...watchEventLoop(log, metrics, 200) };
}
const block = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('logs a warning and counts it when one piece of work blocks the event loop', async () => {
  const { lines, metrics, stop } = watched();
  await sleep(60); // the first sample
  block(700);
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThan(0);
  stop();
  expect(lines[0]).toMatchObject({ msg: 'event loop blocked' });
  expect(lines[0]?.maxMs).toBeGreaterThan(250);
  expect(await metrics.metrics()).toMatch(/^parley_event_loop_blocked_total [1-9]/m);
});

test('the delay gauges describe the last 15 s, whoever reads them and how often', async () => {
  const { metrics, stop } = watched();
  await sleep(60);
  block(300);
  await sleep(120); // the sample after the block
  const read = async () => Number(/^nodejs_eventloop_delay_max_seconds (\S+)$/m.exec(await metrics.metrics())?.[1]);
  expect(await read()).toBeGreaterThan(0.2);
  expect(await read()).toBeGreaterThan(0.2); // a second reader
  stop();
});
