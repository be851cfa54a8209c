import type { RequestHandler } from 'express';
import type { SiteMetrics, SitePart } from '../shared/metrics/site-metrics.ts';
import { answerOutcome } from './answer-outcome.ts';

/** The parts of the site by the first word of their addresses. */
const PARTS: ReadonlyMap<string, SitePart> = new Map([
  ['apps', 'owners'],
  ['sign-out', 'owners'],
  ['mails', 'owners'],
  ['support', 'support'],
  ['sign-in', 'sign_in'],
  ['approve', 'sign_in'],
  ['callback', 'sign_in'],
  ['api', 'staff_api'],
  ['leaks', 'leaks'],
]);

/**
 * Counts each answer that is not one of an old address, when it has left or its caller has hung up. An address of which this
 * table has no word counts as `other`: nothing that a caller sends becomes a label.
 */
export function countAnswers(site: SiteMetrics): RequestHandler {
  return (req, res, next) => {
    const part = PARTS.get(req.path.split('/', 2)[1] ?? '') ?? 'other';
    // `finish` leaves out callers that hang up.
    res.on('close', () => site.note(part, answerOutcome(res)));
    next();
  };
}
