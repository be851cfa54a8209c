import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

export const siteName = 'Publishing account';

/**
 * `form-action` cannot name a target: Chromium applies it to every redirect after a POST, and from the consent page
 * those lead to the app and, behind a bridge, to an app of its own. Pages carry no script and escape all they show, so
 * what it keeps out is only other schemes.
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

/** Security headers of every answer. Strict-Transport-Security is left to whatever terminates TLS. */
export function securityHeaders() {
  return helmet({
    contentSecurityPolicy,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: false,
  });
}

export function noStore(_req: Request, res: Response, next: NextFunction): void {
  res.set('Cache-Control', 'no-store');
  next();
}
