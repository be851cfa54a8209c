import type { NextFunction, Request, Response } from 'express';
import { isOwnForm } from '../../shared/own-form.ts';
import type { PageRenderer } from '../../shared/pages.ts';
import { renderForeignForm } from '../error-pages.ts';

export function isSameOrigin(req: Request): boolean {
  const headers = { site: req.get('sec-fetch-site'), origin: req.get('origin') };
  return isOwnForm(`${req.protocol}://${req.get('host')}`, headers);
}

/** Answers a form that another site posts with a 403 page. */
export function requireSameOrigin(pages: PageRenderer) {
  return (req: Request, res: Response, next: NextFunction): void => {
    if (isSameOrigin(req)) next();
    else res.status(403).type('html').send(renderForeignForm(pages));
  };
}
