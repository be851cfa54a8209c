import type { Request } from 'express';

/** The spans of days that the calls of an app are shown for. */

/** The spans that `?days=` accepts. */
export const SPANS: readonly number[] = [7, 30, 90];

const USUAL = 30;

/** The span that an address asks for; the usual one where it asks for none, or for another. */
export function spanOf(req: Request): number {
  return SPANS.find((days) => String(days) === req.query['days']) ?? USUAL;
}
