import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Tracer,
} from '@opentelemetry/api';
import type { Config } from '../config/config.ts';
import { redact } from '../values/redact.ts';

/** Names and values of a span; a value that is absent is left out, and texts are redacted like log lines. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A span that has begun. `traceparent` (W3C Trace Context) names it for those that continue its trace. */
export interface OpenSpan {
  readonly traceparent: string;
  end(facts: SpanFacts, outcome?: { readonly name?: string; readonly error?: string | null }): void;
}

type TracesConfig = Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'serviceName' | 'traceRatio'>;

/** Null: traces are off, and nothing here does or stores anything. */
let tracer: Tracer | null = null;
const current = new AsyncLocalStorage<string | undefined>();

/**
 * Turns traces on where OTEL_EXPORTER_OTLP_ENDPOINT is set; the SDK is loaded only then. Returns the function
 * that sends what is pending and turns them off.
 */
export async function startTraces(
  config: TracesConfig,
  processName: string,
  onProblem: (problem: string) => void,
): Promise<() => Promise<void>> {
  const { otlpEndpoint: endpoint } = config;
  if (endpoint === null) return () => Promise.resolve();
  const { openOtlp } = await import('./otlp.ts');
  const provider = openOtlp({ ...config, endpoint, processName }, onProblem);
  tracer = provider.getTracer('payment-checkout');
  return async () => {
    tracer = null;
    await provider.shutdown().catch(() => undefined);
  };
}

/**
 * Begins a span in the trace of `parent`, a traceparent, or in a new trace where it is none. Returns null
 * while traces are off, and for a trace that is not sampled.
 */
export function startSpan(
  name: string,
  kind: keyof typeof SpanKind,
  parent: string | null | undefined,
  startTime?: Date,
): OpenSpan | null {
  if (tracer === null) return null;
  const span = tracer.startSpan(
    name,
    { kind: SpanKind[kind], ...(startTime && { startTime }) },
    contextOf(parent),
  );
  if (!span.isRecording()) return null;
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    end(facts, { name: finalName, error = null } = {}) {
      if (finalName !== undefined) span.updateName(finalName);
      span.setAttributes(attributesOf(facts));
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: redact(error) });
      span.end();
    },
  };
}

/** Runs work whose events belong to the trace of `traceparent`. */
export function runInTrace<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceparent === undefined ? work() : current.run(traceparent, work);
}

/** The traceparent of the request that runs; undefined: there is none, or traces are off. */
export function currentTraceparent(): string | undefined {
  return tracer === null ? undefined : current.getStore();
}

function contextOf(traceparent: string | null | undefined) {
  const [, traceId = '', spanId = '', flags = '0'] =
    /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent ?? '') ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function attributesOf(facts: SpanFacts): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(facts))
    if (value !== null && value !== undefined)
      attributes[name] = typeof value === 'string' ? redact(value) : value;
  return attributes;
}
