import type { NextFunction, Request, Response } from 'express';

function isSameOrigin(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = req.get('origin');
  // Our own no-referrer policy makes browsers send `null`. Those that do not send Sec-Fetch-Site (plain http beyond
  // loopback) then have the unguessable interaction id and its signed, same-site cookie between them and a forgery.
  return origin === undefined || origin === 'null' || origin === `${req.protocol}://${req.get('host')}`;
}

/** 403 for a form that another site posts. */
export function requireSameOrigin(req: Request, res: Response, next: NextFunction): void {
  if (isSameOrigin(req)) next();
  else res.status(403).type('text').send('This form can only be sent from its own page.');
}
