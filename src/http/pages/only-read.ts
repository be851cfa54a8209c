import type { RequestHandler } from 'express';
import { PageError } from './page-error.ts';

/** Refuses every method but GET and HEAD at an address that only shows something; `reason` says what. */
export function onlyRead(reason: string): RequestHandler {
  return (_req, res) => {
    res.set('Allow', 'GET, HEAD');
    throw new PageError(405, 'This address can only be read', {
      reason,
      next: 'Open it in a browser, or read it with GET.',
    });
  };
}
