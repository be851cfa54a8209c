import type { SpanContext } from '@opentelemetry/api';
import type { IdGenerator, ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { SECOND } from '../lifetimes.ts';
import { newSpanId, newTrace, type TraceContext } from './trace-context.ts';
import type { Span, TraceRecorder, TracingSettings } from './tracing.ts';

/**
 * Traces for OpenTelemetry, sent as OTLP over HTTP in the background (docs/operate/traces.md). The packages are loaded
 * here and nowhere else, and only where an endpoint is set. Nobody waits for the collector: what it does not take in time
 * is dropped.
 */

/** How much may wait, and how long one request to the collector may take. */
const WAITING = { maxQueueSize: 2048, maxExportBatchSize: 512, exportTimeoutMillis: 10 * SECOND };
const REQUEST_TAKES = 3 * SECOND;

/** Spans wait for this long to be sent together. */
const SEND_EVERY = 2 * SECOND;

const STOP_TAKES = 2 * SECOND;

interface Options extends TracingSettings {
  isDrawn: TraceRecorder['isDrawn'];
  /** Hears of each request to the collector; `error` is undefined after one that was taken. */
  hear: (error: Error | undefined) => void;
}

/** Passes the spans on, and tells what became of them. */
function heardExporter(exporter: SpanExporter, hear: Options['hear']): SpanExporter {
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        // The code of a success is 0.
        hear(result.code ? (result.error ?? new Error('the collector refused the spans')) : undefined);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

async function load() {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = await import('@opentelemetry/api');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const sdk = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const api = { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags };
  return { ...api, sdk, resourceFromAttributes, OTLPTraceExporter };
}

type OpenTelemetry = Awaited<ReturnType<typeof load>>;

/** The id of the next span: the bridge knows it before the span is made, because a span is made when it has ended. */
function createNextIds() {
  const next = { traceId: '', spanId: '' };
  return { next, generateTraceId: () => next.traceId, generateSpanId: () => next.spanId };
}

function contextOf(isSampled: number, { traceId, parentId, isRecorded }: TraceContext): SpanContext {
  return { traceId, spanId: parentId, traceFlags: isSampled, isRemote: !isRecorded };
}

/** The part that makes spans and sends them. */
function createProvider(otel: OpenTelemetry, options: Options, idGenerator: IdGenerator) {
  const { url, serviceName, hear } = options;
  const headers = { ...options.headers };
  const otlp = new otel.OTLPTraceExporter({ url, headers, timeoutMillis: REQUEST_TAKES });
  const sending = { ...WAITING, scheduledDelayMillis: SEND_EVERY };
  return new otel.sdk.TracerProvider({
    resource: otel.resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new otel.sdk.AlwaysOnSampler(),
    spanProcessors: [new otel.sdk.BatchSpanProcessor({ exporter: heardExporter(otlp, hear), ...sending })],
    idGenerator,
  });
}

/** Starts to record. */
export async function openOtlpRecorder(options: Options): Promise<TraceRecorder> {
  const otel = await load();
  const ids = createNextIds();
  const provider = createProvider(otel, options, ids);
  const tracer = provider.getTracer('grantbridge');
  const kinds = { server: otel.SpanKind.SERVER, client: otel.SpanKind.CLIENT };
  const parentOf = (parent: TraceContext | undefined) =>
    parent
      ? otel.trace.setSpanContext(otel.ROOT_CONTEXT, contextOf(otel.TraceFlags.SAMPLED, parent))
      : otel.ROOT_CONTEXT;
  return {
    isDrawn: options.isDrawn,
    begin({ name, kind, parent, begunAt: begun = performance.now() }): Span {
      const { traceId, state } = parent ?? newTrace();
      const trace = { traceId, parentId: newSpanId(), state, isSampled: true, isRecorded: true };
      const startTime = Date.now() - (performance.now() - begun);
      return {
        trace,
        end({ isFailed, attributes }) {
          Object.assign(ids.next, { traceId, spanId: trace.parentId });
          const start = { kind: kinds[kind], attributes, startTime };
          const span = tracer.startSpan(name, start, parentOf(parent));
          if (isFailed) span.setStatus({ code: otel.SpanStatusCode.ERROR });
          span.end(startTime + performance.now() - begun);
        },
      };
    },
    async stop() {
      const isLate = new Promise<void>((resolve) => setTimeout(resolve, STOP_TAKES).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), isLate]);
    },
  };
}
