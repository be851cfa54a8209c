import type { RequestHandler } from 'express';
import { PageError } from './page-error.ts';
import { isProtected } from '../wire/https.ts';

/** Pages and their files are served over HTTPS alone. The old addresses have their own refusal. */

function insecure(): PageError {
  return new PageError(403, 'This page is served over HTTPS only', {
    reason: 'The request came over plain HTTP. Nothing of it was read, and nothing was changed.',
    next: 'Open the page again with https:// at the beginning of its address.',
  });
}

/** The same page at the public address. An address that names another host leads to the start page. */
function atPublicAddress(publicUrl: string, address: string): string {
  return publicUrl + (address.startsWith('/') ? address : '/');
}

/**
 * Redirects a page request to its HTTPS address, which is built from `PUBLIC_URL` and never from a request header.
 * Other methods are refused: the body may hold a secret, and is not read.
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
