import type { RequestHandler } from 'express';

/**
 * The one list of headers that the bridge adds to what the old service sent (design 5). `Cache-Control` and `Pragma`
 * are those of draft 20 section 5.1; the rest keeps an answer with personal data out of caches and frames. What the old
 * backend answers may be a page made of the call, on the origin of the owners' session: no browser runs or loads anything
 * of it.
 */
const ADDED_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  Pragma: 'no-cache',
  Vary: 'Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
};

/** Sets the added headers on every old answer, errors included. */
export const addHeaders: RequestHandler = (_req, res, next) => {
  for (const [name, value] of Object.entries(ADDED_HEADERS)) res.setHeader(name, value);
  next();
};
