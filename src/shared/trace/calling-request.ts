import type { TraceContext } from './trace-context.ts';

/**
 * The request on whose behalf work is done. Its id stands in the history beside what it caused, and the servers that are
 * asked for it learn its trace. Work of a job has none.
 */
export interface CallingRequest {
  requestId: string;
  trace?: TraceContext | undefined;
}
