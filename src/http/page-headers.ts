import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Headers of every page: nothing from elsewhere, no frame, no referrer, no cache, no script. */
export const pageHeaders: RequestHandler[] = [
  (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    next();
  },
  helmet({
    contentSecurityPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  }),
];

/** Sets the page's policy; `formTargets` are the origins that a form's answer may lead to. */
export function sendPage(res: Response, html: string, formTargets = "'self'"): void {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(html);
}
