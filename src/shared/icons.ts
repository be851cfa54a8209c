import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { projectRoot } from './project-root.ts';

/**
 * The icon that browsers show beside the title of a page. Our pages name the SVG. Browsers ask for /favicon.ico by
 * themselves when no page named an icon.
 */

const read = (name: string) => readFileSync(join(projectRoot, 'src', 'shared', 'pages', name));

const tagOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 12);

const DRAWING = '/assets/icon.svg';

/** An address that changes with its content may be kept for good. Any other address is asked for again after a day. */
const FOR_GOOD = 'public, max-age=31536000, immutable';
const FOR_A_DAY = 'public, max-age=86400';

function answer(type: string, bytes: Buffer): RequestHandler {
  const tag = tagOf(bytes);
  return (req, res) => {
    res.set('Cache-Control', req.query['v'] === tag ? FOR_GOOD : FOR_A_DAY);
    res.set('ETag', `"${tag}"`);
    res.set('Content-Type', type);
    // `send` answers 304 when the browser already has these bytes.
    res.send(bytes);
  };
}

/** The address of the icon, which changes with its content. */
export const iconAddress = (): string => `${DRAWING}?v=${tagOf(read('icon.svg'))}`;

/** Serves both icon addresses, on every server that shows pages. */
export function iconRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(DRAWING, answer('image/svg+xml', read('icon.svg')));
  router.get('/favicon.ico', answer('image/x-icon', read('favicon.ico')));
  return router;
}
