import {
  context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';

// Spans contain IDs, names, numbers and outcomes, never contents: no message, no body, no URL with its path, no text of an
// error.

const tracer = trace.getTracer('parley');
/** What work gets while this process exports no traces. */
const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
let isEnabled = false;

/** Called once the process exports traces. Until then, a span costs a comparison. */
export const enableSpans = () => {
  isEnabled = true;
};
export const isTracing = () => isEnabled;

interface ChildOptions extends SpanOptions {
  /** The traceparent of the parent. Without it, the parent is the span in which this runs. */
  parent?: string;
}

export const traceIdOf = (traceparent: string) => traceparent.slice(3, 35);

export function traceparentOfSpan(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

function contextOf(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Starts a span that is not the current one. Without a traceparent, it starts a trace. */
export const startSpan = (name: string, traceparent: string | null, options: SpanOptions): Span =>
  isEnabled ? tracer.startSpan(name, options, traceparent === null ? ROOT_CONTEXT : contextOf(traceparent)) : noSpan;

/** With `errorType`, the span failed. */
export function endSpan(span: Span, errorType?: string) {
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR }); // without a text, which could repeat what was sent
  }
  span.end();
}

const nameOf = (error: unknown): string | undefined => (error instanceof Error ? error.name : 'unknown');

/** Runs `work` in a child span. */
export function inSpan<T>(
  name: string,
  { parent, ...options }: ChildOptions,
  work: (span: Span) => Promise<T>,
  errorTypeOf: (error: unknown) => string | undefined = nameOf,
): Promise<T> {
  if (!isEnabled) return work(noSpan);
  const parentContext = parent === undefined ? context.active() : contextOf(parent);
  return tracer.startActiveSpan(name, options, parentContext, async (span) => {
    try {
      const result = await work(span);
      endSpan(span);
      return result;
    } catch (error) {
      endSpan(span, errorTypeOf(error));
      throw error;
    }
  });
}

/** Makes a span the current one. */
export const withSpan = <T>(span: Span | null, work: () => T): T =>
  span === null ? work() : context.with(trace.setSpan(ROOT_CONTEXT, span), work);

/** Runs `work` in the trace that a row names, unless it already does. */
export const inTrace = <T>(traceparent: string | null | undefined, work: () => T): T =>
  !isEnabled || !traceparent || isCurrent(traceparent) ? work() : context.with(contextOf(traceparent), work);

/** The current span if it is in this trace, since it is closer to what happens now. */
export function closestTo(traceparent: string): string {
  const span = isCurrent(traceparent) ? trace.getSpan(context.active()) : undefined;
  return span ? traceparentOfSpan(span) : traceparent;
}

const isCurrent = (traceparent: string) => trace.getSpanContext(context.active())?.traceId === traceIdOf(traceparent);
