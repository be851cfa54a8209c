import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { LegacyDeps } from '../deps.ts';
import { oldCallOf, plainSpelling } from '../../../domain/old-calls/old-calls.ts';
import { answerOutcome } from '../../answer-outcome.ts';
import { callerOf } from '../../request-log.ts';
import { arrivedAt } from '../../arrived-at.ts';
import type { CarriedToken } from '../../wire/bearer-token.ts';
import { isOfOldApi } from '../usage-note.ts';
import { traceCall } from './trace-call.ts';
import { Note } from '../../../shared/memory/note.ts';

/**
 * Counts every request to an old address once, when its answer has left or its caller has hung up. All labels come from
 * tables of the bridge. What a caller sends never becomes a label: it could be a secret, and there is no end of it.
 */

/** The addresses that are no old call, by path. */
type OtherEndpoints = ReadonlyMap<string, 'authorize' | 'token' | 'handOver'>;

/** The name in the table of old calls, of another endpoint, or `other`. */
function endpointOf({ originalUrl }: Request, others: OtherEndpoints): string {
  const end = originalUrl.indexOf('?');
  const path = end < 0 ? originalUrl : originalUrl.slice(0, end);
  const nameOf = (spelling: string) => oldCallOf(spelling) ?? others.get(spelling);
  return nameOf(path) ?? nameOf(plainSpelling(path)) ?? 'other';
}

const carriers = new Note<Response, CarriedToken['carrier']>();

/** Tells where the call carries its token, known or not. */
export function noteCarrier(res: Response, carrier: CarriedToken['carrier']): void {
  carriers.set(res, carrier);
}

/** For a known token, what the line of the request says. Without one the old API had to answer, or the bridge by itself. */
function callerLabels(res: Response) {
  const answeredBy = callerOf(res)?.answeredBy ?? (isOfOldApi(res) ? 'old' : 'bridge');
  return { carrier: carriers.get(res) ?? 'none', answeredBy };
}

interface CallLabels {
  endpoint: string;
  carrier: string;
  answeredBy: string;
}

interface MeasuredAnswer {
  res: ServerResponse;
  startedAt: number;
  /** Called when the answer has left, or its caller. */
  labelsOf: () => CallLabels;
  /** What else is done with an answer that has left whole. */
  whenAnswered?: () => void;
}

/** Counts a call once its answer has left, or its caller. */
export function countAtEnd(
  { metrics, logger }: LegacyDeps,
  { res, startedAt, labelsOf, whenAnswered }: MeasuredAnswer,
): void {
  const count = () => {
    try {
      const milliseconds = performance.now() - startedAt;
      const { endpoint, carrier, answeredBy } = labelsOf();
      metrics.calls.note({ endpoint, carrier, answeredBy, outcome: answerOutcome(res), milliseconds });
      if (res.writableFinished) whenAnswered?.();
    } catch (error) {
      logger.warn('an answered request could not be noted', { error });
    }
  };
  // A caller that left while the short way read its body has closed the answer before the ordinary way begins.
  if (res.closed) return count();
  // `finish` leaves out callers that hang up.
  res.on('close', count);
}

/** The first step of every old address. */
export function measureCall(context: LegacyDeps, others: OtherEndpoints): RequestHandler {
  return (req, res, next) => {
    const labelsOf = () => ({ endpoint: endpointOf(req, others), ...callerLabels(res) });
    countAtEnd(context, { res, startedAt: arrivedAt(req), labelsOf });
    if (context.tracing) traceCall(context, { req, res }, endpointOf(req, others));
    next();
  };
}
