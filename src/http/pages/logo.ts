import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { DomainSettings } from '../../domain/domain-settings.ts';

/** The logo of the service, which the operator names (SERVICE_LOGO). It was read at the start. */

type Logo = NonNullable<DomainSettings['serviceLogo']>;

const ADDRESS = '/assets/logo';

const tagOf = ({ bytes }: Logo) => createHash('sha256').update(bytes).digest('base64url').slice(0, 12);

/** The address of the logo, which changes with its content. */
export const logoAddress = (logo: Logo): string => `${ADDRESS}?v=${tagOf(logo)}`;

/**
 * An SVG may hold scripts and links. In a page it is an image, which runs and loads nothing. Opened by itself it has an
 * origin of its own and no rights.
 */
const ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Serves the logo, where there is one. */
export function logoRouter(logo: Logo | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (logo === undefined) return router;
  const tag = tagOf(logo);
  router.get(ADDRESS, (req, res) => {
    const isOwn = req.query['v'] === tag;
    res.set('Cache-Control', isOwn ? 'public, max-age=31536000, immutable' : 'public, max-age=60');
    res.set('ETag', `"${tag}"`);
    res.set('Content-Security-Policy', ALONE);
    res.set('X-Content-Type-Options', 'nosniff');
    res.set('Content-Type', logo.type);
    res.send(logo.bytes);
  });
  return router;
}
