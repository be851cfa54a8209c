import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

export const siteName = 'Publishing account';

/**
 * Without `form-action`. Chromium applies it to every redirect after a POST. After the sign-in and the consent, the redirects lead
 * to the app, and from a bridge on to an app of the bridge, whose callback may have any host and a scheme of its own. Only the
 * bridge knows that app. Pages carry no script and escape every value, so no form of somebody else comes into them.
 */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
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
