import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createComponentMetrics } from './component-metrics.ts';
import { readGauge, readGaugeBy, reuse } from './gauges.ts';
import { createHistogram } from './histogram.ts';

test('a value from a server is read once in 15 s, however many scrape it', async () => {
  let [reads, now] = [0, 0];
  const read = reuse(async () => ++reads, { now: () => now });
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  now = 14_999;
  expect(await read()).toBe(1);
  now = 15_000;
  expect(await read()).toBe(2);
});

test('a gauge whose source fails is absent, and back with the next value', async () => {
  const registry = new Registry();
  let fails = false;
  const read = async () => {
    if (fails) throw new Error('down');
    return 3;
  };
  readGauge(registry, 'one', 'x', read);
  readGaugeBy(registry, { name: 'some', help: 'x', label: 'kind' }, async () => ({ a: await read() }));
  const shown = async () => (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line));
  expect(await shown()).toEqual(['one 3', 'some{kind="a"} 3']);
  fails = true;
  expect(await shown()).toEqual([]);
  fails = false;
  expect(await shown()).toEqual(['one 3', 'some{kind="a"} 3']);
});

test('a bucket counts the observations up to its limit, and the last one counts all', async () => {
  const registry = new Registry();
  const seconds = createHistogram({ name: 'h', help: 'x', labelNames: ['kind'], buckets: [0.3, 1], registry });
  for (const value of [0.3, 0.31, 5]) seconds.with({ kind: 'a' }).observe(value);
  seconds.with({ kind: 'b' }).observe(1);
  expect((await registry.metrics()).split('\n').filter((line) => line.startsWith('h'))).toEqual([
    'h_bucket{le="0.3",kind="a"} 1',
    'h_bucket{le="1",kind="a"} 2',
    'h_bucket{le="+Inf",kind="a"} 3',
    'h_sum{kind="a"} 5.61',
    'h_count{kind="a"} 3',
    'h_bucket{le="0.3",kind="b"} 0',
    'h_bucket{le="1",kind="b"} 1',
    'h_bucket{le="+Inf",kind="b"} 1',
    'h_sum{kind="b"} 1',
    'h_count{kind="b"} 1',
  ]);
});

test('a component that hangs counts as down, and its latency is absent', async () => {
  const registry = new Registry();
  const components = createComponentMetrics(registry);
  components.add('valkey', { check: () => new Promise(() => {}) });
  components.add('postgresql', { check: async () => {} });
  await registry.metrics();
  const text = await registry.metrics();
  expect(text).toContain('parley_component_up{component="valkey"} 0');
  expect(text).toContain('parley_component_up{component="postgresql"} 1');
  expect(text).toMatch(/parley_component_latency_seconds\{component="postgresql"\} [\d.e-]+/);
  expect(text).not.toContain('parley_component_latency_seconds{component="valkey"}');
});
