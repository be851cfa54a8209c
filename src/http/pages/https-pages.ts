import type { RequestHandler } from 'express';
import { PageError } from './page-error.ts';
import { isProtected } from '../wire/https.ts';

/** Pages and what they load are served over HTTPS alone; the old addresses have a refusal of their own. */

function insecure(): PageError {
  return new PageError(403, 'This page is served over HTTPS only', {
    reason: 'The request came over plain HTTP. Nothing of it was read, and nothing was changed.',
    next: 'Open the page again with https:// at the beginning of its address.',
  });
}

/** The same page at the public address; an address that names another host is not followed there. */
function atPublicAddress(publicUrl: string, address: string): string {
  return publicUrl + (address.startsWith('/') ? address : '/');
}

/**
 * Sends a reader of a page to its HTTPS address, which is built from `PUBLIC_URL` and never from a request header. Any
 * other method is refused: its body may hold a secret, and is not read.
 */
export function httpsPages(publicUrl: string): RequestHandler {
  const hasHttps = publicUrl.startsWith('https:');
  return (req, res, next) => {
    if (isProtected(req)) return next();
    res.setHeader('Connection', 'close');
    if (!hasHttps || !['GET', 'HEAD'].includes(req.method)) return next(insecure());
    res.redirect(308, atPublicAddress(publicUrl, req.originalUrl));
  };
}
