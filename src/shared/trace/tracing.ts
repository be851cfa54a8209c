import type { TraceContext } from './trace-context.ts';

/** OpenTelemetry traces, where an endpoint is set. Without an endpoint there is no `TraceRecorder`, and nothing of it is loaded. */

export interface TracingSettings {
  /** The address of the collector for traces (OTLP over HTTP). */
  url: string;
  /** Sent with every request to it. May hold a secret. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share of the requests that are recorded, 0 to 1. */
  ratio: number;
}

interface SpanEnd {
  isFailed: boolean;
  /** Ids and words of the bridge. Never a token, an address with its query, or an address of a person. */
  attributes: Record<string, string | number | undefined>;
}

export interface Span {
  /** The trace, with this span as the parent of what follows. */
  trace: TraceContext;
  end(how: SpanEnd): void;
}

interface SpanStart {
  name: string;
  kind: 'server' | 'client';
  /** Without a parent the span begins a trace. */
  parent?: TraceContext | undefined;
  /** When its work began to wait, in milliseconds of the monotonic clock; without it, now. */
  begunAt?: number;
}

export interface TraceRecorder {
  /** Whether a request is recorded: by lot, or because its caller records its own trace. Decided once for a request. */
  isDrawn(request: object, brought?: TraceContext): boolean;
  begin(start: SpanStart): Span;
  /** Sends what is left. Ends soon, whether or not the collector answers. */
  stop(): Promise<void>;
}

/**
 * Begins the span of a call to another server. Undefined where nobody wants it: the trace is not recorded, or the work
 * of a job was not drawn.
 */
export function beginCall(
  tracing: TraceRecorder | undefined,
  name: string,
  trace: TraceContext | undefined,
): Span | undefined {
  if (!tracing) return undefined;
  const isWanted = trace ? trace.isRecorded : tracing.isDrawn({});
  return isWanted ? tracing.begin({ name, kind: 'client', parent: trace }) : undefined;
}
