import type { IncomingMessage, ServerResponse } from 'node:http';
import { oldCallOf } from '../../domain/old-calls/old-calls.ts';
import { newHexId } from '../../shared/ids.ts';
import { arrivedAt } from '../arrived-at.ts';
import { REQUEST_ID } from '../request-id.ts';
import type { HeadLog } from '../request-log.ts';
import { createAddedLines } from '../wire/added-headers.ts';
import type { CarriedToken } from '../wire/bearer-token.ts';
import { headersOfJson, REFUSALS } from '../wire/legacy-error.ts';
import { successorLink } from '../wire/successor-link.ts';
import type { OverloadDeps } from './deps.ts';
import { comeAgainAfter } from './room-for-call.ts';

/** A call as far as its head tells. */
export interface RefusedCall {
  req: IncomingMessage;
  res: ServerResponse;
  path: string;
  isSecure: boolean;
  carrier: CarriedToken['carrier'] | undefined;
}

const [STATUS, CODE, MESSAGE] = REFUSALS.unavailable;
const TEXT = JSON.stringify({ error: MESSAGE, code: CODE });

/**
 * Refuses a call in the recorded form, with the headers of every old answer, and counts it. A refusal must cost far less
 * than an answer: nothing is looked up. `log` writes its line where every request has one.
 */
export function createCallRefusal(context: OverloadDeps, log?: HeadLog): (call: RefusedCall) => void {
  const { metrics, settings } = context;
  const addedFor = createAddedLines(context);
  const body = headersOfJson(TEXT);
  return ({ req, res, path, isSecure, carrier = 'none' }) => {
    const [startedAt, requestId] = [arrivedAt(req), newHexId()];
    const added = addedFor(successorLink(settings.publicUrl, { baseUrl: '', path }), isSecure);
    const retry = ['Retry-After', String(comeAgainAfter(context))];
    res.writeHead(STATUS, [REQUEST_ID, requestId, ...added, ...retry, ...body]).end(TEXT);
    const endpoint = oldCallOf(path) ?? 'other';
    // A read may be refused because it waited too long for its turn.
    const milliseconds = performance.now() - startedAt;
    metrics.calls.note({ endpoint, carrier, outcome: 'shed', answeredBy: 'bridge', milliseconds });
    log?.({ method: req.method, path, status: STATUS, ms: milliseconds, requestId, carrier });
  };
}
