import type { KeyObject } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { Unavailable } from '../../domain/failures.ts';
import { reportLeaks } from '../../domain/leaks/report-leaks.ts';
import { oldBackendUntilRetired } from '../../domain/lifecycle/old-backend-for.ts';
import { createRefusalLog } from '../../shared/log/refusal-log.ts';
import { createFailureBrake } from '../pages/brake.ts';
import { callingOf } from '../request-trace.ts';
import { sendJson } from '../wire/legacy-error.ts';
import type { HttpLeaksDeps } from './deps.ts';
import { LeakReportRefused, refuseReport } from './refusal.ts';
import { labelsOf, leakOf, readReport } from './report.ts';
import { readSignedBody } from './signed-body.ts';

/**
 * POST /leaks: a secret-scanning service reports old tokens that it found (docs/operate/leaked-tokens.md). Its signature
 * is its only right. Without keys in the settings the address does not exist.
 */

const PATH = '/leaks';

/** Refused reports of one network in a minute. More of them come one by one. */
const REFUSALS = { what: 'refused leak reports', perMinute: 30 };

/** Identifiers of keys are as long as secrets, which no line of the log holds. */
const shortId = (keyId: string) => keyId.slice(0, 12);

/** Nothing was read. The service sends its report again. */
function sendBusy(res: Response): undefined {
  res.setHeader('Retry-After', '10');
  sendJson(res, 503, { error: 'Try again in a moment.' });
}

interface SignedReport {
  keyId: string;
  body: Buffer;
}

async function takeReport(
  context: HttpLeaksDeps,
  res: Response,
  { keyId, body }: SignedReport,
): Promise<void> {
  const report = readReport(body);
  const signer = shortId(keyId);
  if (!report) {
    context.logger.warn('a signed leak report is no list of tokens', { signer });
    return sendJson(res, 400, { error: 'The report is not a JSON list of tokens.' });
  }
  const { entries, unreadable } = report;
  const input = { reports: entries.map(leakOf), grace: context.settings.leakedTokenGrace };
  const found = await reportLeaks(context, input, { actor: `leaks:${keyId}`, ...callingOf(res) });
  const isAllKnown = oldBackendUntilRetired(context, undefined) === undefined;
  const known = new Set([...found.values()].map(({ mappingId }) => mappingId)).size;
  context.logger.info('a leak report was taken', { signer, entries: entries.length, unreadable, known });
  sendJson(res, 200, labelsOf(entries, found, { isAllKnown }));
}

function receive(context: HttpLeaksDeps, keys: ReadonlyMap<string, KeyObject>): RequestHandler {
  const brake = createFailureBrake(context, REFUSALS);
  const log = createRefusalLog({ logger: context.logger });
  const read = async (req: Request, res: Response): Promise<SignedReport | undefined> => {
    try {
      return await readSignedBody(req, keys);
    } catch (error) {
      if (error instanceof Unavailable) return sendBusy(res);
      if (!(error instanceof LeakReportRefused)) throw error;
      brake.countFailure(req);
      refuseReport(req, res, { log, reason: error.reason });
      return undefined;
    }
  };
  return async (req, res) => {
    const signed = await brake.run({ req, res }, () => read(req, res));
    if (signed) await takeReport(context, res, signed);
  };
}

/** The address for reports of leaked tokens, where the settings have keys. */
export function leaksRouter(context: HttpLeaksDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { leakReportKeys: keys } = context.settings;
  if (keys) router.post(PATH, receive(context, keys));
  return router;
}
