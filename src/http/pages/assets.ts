import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { iconRouter } from '../../shared/icons.ts';
import { stylesheet, versioned } from '../../shared/pages.ts';
import { projectRoot } from '../../shared/project-root.ts';

/**
 * The files that pages load: one style sheet, the icon, and the scripts of live pages. All files come from this server.
 */

const ours = (name: string) =>
  readFileSync(join(projectRoot, 'src', 'http', 'pages', 'assets', name), 'utf8');

const packages = createRequire(join(projectRoot, 'package.json'));

const theirs = (name: string) => readFileSync(packages.resolve(name), 'utf8');

/**
 * A browser keeps a file for good when the address names its version. For other addresses the browser soon asks again.
 */
const FOR_GOOD = 'public, max-age=31536000, immutable';

const FOR_A_WHILE = 'public, max-age=60';

/**
 * Another process may run another version. Its address gets our file here, but the browser must not keep our file under
 * that address for good.
 */
function answer(address: string, text: string): RequestHandler {
  const type = address.endsWith('.css') ? 'css' : 'js';
  const ownVersion = versioned(address, text);
  // All answers send the same bytes: of a text each answer that waits to be read would hold a copy.
  const bytes = Buffer.from(text);
  return (req, res) => {
    const isOwn = req.originalUrl === ownVersion;
    res
      .set('Cache-Control', isOwn ? FOR_GOOD : FOR_A_WHILE)
      .type(type)
      .send(bytes);
  };
}

/** Reads the files once. */
export function loadAssets() {
  const texts = new Map([
    ['/assets/style.css', stylesheet()],
    ['/assets/local-times.js', ours('local-times.js')],
    ['/assets/page-aids.js', ours('page-aids.js')],
    ['/assets/live.js', ours('live.js')],
    ['/assets/htmx.js', theirs('htmx.org/dist/htmx.min.js')],
    ['/assets/htmx-sse.js', theirs('htmx-ext-sse/dist/sse.min.js')],
  ]);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(iconRouter());
  for (const [address, text] of texts) router.get(address, answer(address, text));
  const versions = new Map([...texts].map(([address, text]) => [address, versioned(address, text)]));
  return { router, versioned: (address: string) => versions.get(address) ?? address };
}
