import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, expect, test } from 'vitest';
import { closestTo, enableSpans, inSpan, inTrace, startSpan, traceIdOf, traceparentOfSpan, withSpan } from './spans.ts';

const sampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const notSampled = `${sampled.slice(0, -2)}00`;

test('without tracing, work runs at once, and nothing is sent', async () => {
  let span: unknown;
  expect(await inSpan('work', { parent: sampled }, async (given) => (span = given))).toBe(span);
  expect(startSpan('work', sampled, {})).toBe(span);
  expect(inTrace(sampled, () => trace.getSpanContext(context.active()))).toBeUndefined();
});

const exporter = new InMemorySpanExporter();
afterEach(() => exporter.reset());
function startTracing() {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  enableSpans();
}
const parents = () =>
  Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span.parentSpanContext?.spanId]));

test('with tracing, a span is the child of the named parent, or else of the current one', async () => {
  startTracing();
  let [outer, inner] = ['', ''];
  await inSpan('outer', { parent: sampled }, async (span) => {
    outer = traceparentOfSpan(span);
    await inSpan('inner', {}, async (nested) => void (inner = traceparentOfSpan(nested)));
    startSpan('named', sampled, {}).end();
    startSpan('of a new trace', null, {}).end();
  });
  expect(traceIdOf(inner)).toBe(traceIdOf(sampled));
  expect(parents()).toEqual({
    outer: 'b7ad6b7169203331',
    inner: outer.split('-')[2],
    named: 'b7ad6b7169203331',
    'of a new trace': undefined,
  });
});

test('a row adds its trace where there is none, and keeps a closer span of the same trace', async () => {
  await inTrace(sampled, () => inSpan('of the row', {}, async () => {}));
  const request = startSpan('request', sampled, {});
  const closest = withSpan(request, () => inTrace(sampled, () => closestTo(sampled)));
  expect(closest).toBe(traceparentOfSpan(request));
  expect(closestTo(sampled)).toBe(sampled);
  expect(parents()).toEqual({ 'of the row': 'b7ad6b7169203331' });
});

test('what is not sampled is not sent, and what follows from it neither', async () => {
  const span = startSpan('request', notSampled, {});
  span.end();
  await inSpan('later', { parent: traceparentOfSpan(span) }, async () => {});
  expect(traceparentOfSpan(span)).toMatch(/-00$/);
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test('a span that failed has the name of the error and not its text', async () => {
  const fail = inSpan('failing', { parent: sampled }, async () => {
    throw new TypeError('canary');
  });
  await expect(fail).rejects.toThrow('canary');
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({ attributes: { 'error.type': 'TypeError' }, events: [] });
  expect(span?.status).toEqual({ code: 2 });
});
