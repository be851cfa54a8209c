import type { TraceContext } from '../shared/trace/trace-context.ts';

/** The person or program that asks for a change, for the history. */
export interface Origin {
  actor: string;
  requestId: string | null;
  /** The trace of the request, for the servers that are told of the change. */
  trace?: TraceContext | undefined;
}
