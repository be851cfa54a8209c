import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

export const siteName = 'Publishing account';

/**
 * `form-action` cannot name a host. Chromium applies `form-action` to every redirect after a POST. After the consent
 * page, the redirects lead to the app, and from a bridge on to an app of the bridge. The directive only keeps out other
 * schemes. Pages carry no script and escape every value.
 */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'self'", 'http:', 'https:'],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * Security headers of every answer. The proxy that terminates TLS has to set Strict-Transport-Security. No
 * Cross-Origin-Opener-Policy: an app may open the way to the consent in a window of its own, and that policy on one page
 * cuts the window off from the app for good.
 */
export function securityHeaders() {
  return helmet({
    contentSecurityPolicy,
    crossOriginOpenerPolicy: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
  });
}

export function noStore(_req: Request, res: Response, next: NextFunction): void {
  res.set('Cache-Control', 'no-store');
  next();
}
