import type { Request, Response } from 'express';
import { newTrace } from '../../../shared/trace/trace-context.ts';
import type { LegacyDeps } from '../deps.ts';
import { arrivedAt } from '../../arrived-at.ts';
import { requestIdOf } from '../../request-id.ts';
import { callerOf } from '../../request-log.ts';
import { broughtTraceOf, setTrace, traceOf } from '../../request-trace.ts';

/** The span of a call to an old address. Its words come from tables of the bridge: what a caller sends is in no span. */

const NAMES: Readonly<Record<string, string>> = {
  token: 'token exchange',
  authorize: 'authorization request',
  handOver: 'hand-over',
};

/** What the line of the request says too. */
function attributesOf(res: Response) {
  const { mappingId, clientId, carrier, answeredBy } = callerOf(res) ?? {};
  return {
    // A caller that hung up got no status.
    'http.response.status_code': res.writableFinished ? res.statusCode : undefined,
    'grantbridge.request_id': requestIdOf(res),
    'grantbridge.mapping_id': mappingId,
    'grantbridge.client_id': clientId,
    'grantbridge.carrier': carrier,
    'grantbridge.answered_by': answeredBy,
  };
}

/**
 * Begins the span of a call, where traces are recorded and the call was drawn. A call that was not drawn has a trace that
 * tells the servers behind it the same.
 */
export function traceCall(
  { tracing }: Pick<LegacyDeps, 'tracing'>,
  { req, res }: { req: Request; res: Response },
  endpoint: string,
): void {
  if (!tracing) return;
  const brought = broughtTraceOf(res);
  if (!tracing.isDrawn(req, brought)) return setTrace(res, brought ?? newTrace());
  const name = NAMES[endpoint] ?? `old call ${endpoint}`;
  const span = tracing.begin({ name, kind: 'server', parent: brought, begunAt: arrivedAt(req) });
  setTrace(res, span.trace);
  res.once('close', () => {
    // A trace that was forgotten may have a credential for its id, and so may one that nobody compared with the body.
    if (traceOf(res) === span.trace)
      span.end({ isFailed: res.statusCode >= 500, attributes: attributesOf(res) });
  });
}
