import type { NextFunction, Request, Response } from 'express';
import { isOwnForm } from '../../shared/own-form.ts';

export function isSameOrigin(req: Request): boolean {
  const headers = { site: req.get('sec-fetch-site'), origin: req.get('origin') };
  return isOwnForm(`${req.protocol}://${req.get('host')}`, headers);
}

/** 403 for a form that another site posts. */
export function requireSameOrigin(req: Request, res: Response, next: NextFunction): void {
  if (isSameOrigin(req)) next();
  else res.status(403).type('text').send('This form can only be sent from its own page.');
}
