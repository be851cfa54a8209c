import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Router } from 'express';
import { stylesheet } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';

/** What pages load: one style sheet, and the scripts of those that have a part which lives. All of it is from here. */

const ours = (name: string) => readFileSync(join(projectRoot, 'src', 'http', 'assets', name), 'utf8');

const packages = createRequire(join(projectRoot, 'package.json'));

const theirs = (name: string) => readFileSync(packages.resolve(name), 'utf8');

/** Reads them once. */
export function assetsRouter(): Router {
  const scripts = {
    'local-times.js': ours('local-times.js'),
    'htmx.js': theirs('htmx.org/dist/htmx.min.js'),
    'htmx-sse.js': theirs('htmx-ext-sse/dist/sse.min.js'),
  };
  const style = stylesheet();
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/assets/style.css', (_req, res) => void res.type('css').send(style));
  for (const [name, text] of Object.entries(scripts))
    router.get(`/assets/${name}`, (_req, res) => void res.type('js').send(text));
  return router;
}
