import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { CallingRequest } from '../shared/trace/calling-request.ts';
import { readTraceContext, type TraceContext } from '../shared/trace/trace-context.ts';
import { requestIdOf } from './request-id.ts';
import { authorizationHeaders } from './wire/bearer-token.ts';
import { unescaped } from './wire/parse-form.ts';
import { Note } from '../shared/memory/note.ts';

/**
 * The trace of the current request (W3C Trace Context). A trace that a caller brings stands in log lines and goes on to
 * other servers, so it must not be a credential of the same request: a caller may put anything there. A trace of a request
 * with a body therefore counts once the body is read.
 */

interface KnownTrace {
  trace: TraceContext;
  /** As the caller brought it: its step is the parent of a step that is recorded here. */
  brought: TraceContext | undefined;
  /** Whether the trace was compared with all credentials of the request. */
  isChecked: boolean;
}

const traces = new Note<ServerResponse, KnownTrace>();

/** As it came, and as its reader reads it: what cannot be decoded hides nothing that can. */
const readingsOf = (text: string) => [text, unescaped(text)];

const basicOf = (authorization: string) =>
  Buffer.from(authorization.slice('basic '.length), 'base64').toString('latin1');

/** The credentials that the head of a request may hold. */
function textsIn({ url = '', headers: { cookie = '' }, rawHeaders }: IncomingMessage): string[] {
  const given = authorizationHeaders(rawHeaders);
  return [url, cookie, ...given, ...given.map(basicOf)].flatMap(readingsOf);
}

const isPartOf = ({ traceId, parentId }: TraceContext, texts: readonly string[]) =>
  texts.some((text) => [traceId, parentId].some((id) => text.toLowerCase().includes(id)));

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Takes over the trace that a request brings. */
export const takeTrace: RequestHandler = (req, res, next) => {
  const trace = req.headers['traceparent'] === undefined ? undefined : readTraceContext(req.headers);
  if (trace && !isPartOf(trace, textsIn(req)))
    traces.set(res, { trace, brought: trace, isChecked: !hasBody(req) });
  next();
};

/** The trace that the request brought, also before its body is read. Only for what is told later. */
export const broughtTraceOf = (res: ServerResponse): TraceContext | undefined => traces.get(res)?.brought;

/** Sets the trace that the work for the request belongs to from now on. */
export function setTrace(res: ServerResponse, trace: TraceContext): void {
  const { brought, isChecked = true } = traces.get(res) ?? {};
  traces.set(res, { trace, brought, isChecked });
}

/**
 * Compares the trace with the credentials that the body of the request may hold. A trace that is a part of one of them is
 * forgotten; another one counts from now on.
 */
export function checkTrace(res: ServerResponse, credentials: () => ReadonlyArray<string | undefined>): void {
  const known = traces.get(res);
  if (!known) return;
  const { trace, brought = trace } = known;
  const texts = credentials().map(String);
  if (isPartOf(trace, texts) || isPartOf(brought, texts)) traces.set(res, undefined);
  else known.isChecked = true;
}

/** The trace of the current request; undefined where it belongs to none. */
export function traceOf(res: ServerResponse): TraceContext | undefined {
  const known = traces.get(res);
  return known?.isChecked ? known.trace : undefined;
}

/** The ids of the current request for a line of the log. */
export function idsOf(res: Response): { requestId: string; traceId?: string } {
  const traceId = traceOf(res)?.traceId;
  return traceId === undefined ? { requestId: requestIdOf(res) } : { requestId: requestIdOf(res), traceId };
}

/** The current request, for the work that is done on its behalf. */
export function callingOf(res: Response): CallingRequest {
  return { requestId: requestIdOf(res), trace: traceOf(res) };
}
