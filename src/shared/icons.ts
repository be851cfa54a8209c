import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { projectRoot } from './project-root.ts';

/**
 * The icon that browsers show beside the title of a page. Pages name the drawing; browsers ask for the other address by
 * themselves, wherever no page told them of an icon.
 */

const read = (name: string) => readFileSync(join(projectRoot, 'src', 'shared', 'pages', name));

const tagOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url').slice(0, 12);

const DRAWING = '/assets/icon.svg';

/** What a browser keeps for good, because its address changes with its content; and what it asks for anew after a day. */
const FOR_GOOD = 'public, max-age=31536000, immutable';
const FOR_A_DAY = 'public, max-age=86400';

function answer(type: string, bytes: Buffer): RequestHandler {
  const tag = tagOf(bytes);
  return (req, res) => {
    res.set('Cache-Control', req.query['v'] === tag ? FOR_GOOD : FOR_A_DAY);
    res.set('ETag', `"${tag}"`);
    res.set('Content-Type', type);
    // Answers 304 where the browser has these bytes.
    res.send(bytes);
  };
}

/** The address of the icon, which changes with its content. */
export const iconAddress = (): string => `${DRAWING}?v=${tagOf(read('icon.svg'))}`;

/** Both addresses, for every server that shows pages. */
export function iconRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(DRAWING, answer('image/svg+xml', read('icon.svg')));
  router.get('/favicon.ico', answer('image/x-icon', read('favicon.ico')));
  return router;
}
