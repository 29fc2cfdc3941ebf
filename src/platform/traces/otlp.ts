import { hostname } from 'node:os';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export interface OtlpOptions {
  readonly endpoint: string;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly traceRatio: number;
  readonly processName: string;
}

/** A collector that is away costs this many spans of memory; more are dropped, and no request waits. */
const MAX_PENDING_SPANS = 2_048;
const EXPORT_TIMEOUT_MS = 5_000;
const SEND_EVERY_MS = 1_000;

/** Sends spans in batches to the collector at `endpoint`, by OTLP over HTTP. */
export function openOtlp(options: OtlpOptions, onProblem: (problem: string) => void): TracerProvider {
  const ignore = () => undefined;
  diag.setLogger(
    { error: onProblem, warn: onProblem, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: options.otlpHeaders,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  return new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.instance.id': `${options.processName}-${hostname()}-${process.pid}`,
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
    // A request that brings a sampled trace is sampled: one trace has all its spans or none.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.traceRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_PENDING_SPANS,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
}
