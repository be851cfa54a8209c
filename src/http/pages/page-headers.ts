import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/**
 * Headers of every page: no content from other hosts, no frame, no referrer, no cache. No Cross-Origin-Opener-Policy: an
 * old app may open the authorization in a window of its own, and its callback page then speaks to the window that opened
 * it. With the policy on one page of the way that window is lost for good.
 */
export const pageHeaders: RequestHandler[] = [
  (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    next();
  },
  helmet({
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  }),
];

interface PagePolicy {
  /** The origins to which the answer of a form may lead. */
  formTargets?: string | undefined;
  /** Whether the page loads our scripts and later requests parts of itself. */
  hasScripts?: boolean | undefined;
}

/** Sends a page with its policy: no content from other hosts, no inline code or style, no frame. */
export function sendPage(res: Response, html: string, { formTargets, hasScripts }: PagePolicy = {}): void {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(hasScripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    `form-action ${formTargets ?? "'self'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(html);
}
