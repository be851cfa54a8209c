import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Absolute path of the folder with the entries (main, cli, worker, demo/main, demo/old-server/main, modern/main) of the running program:
 * dist/program where scripts/bundle.mjs joined the modules into a few files, else the folder above this one.
 */
export const programFolder = basename(here) === 'program' ? here : dirname(here);
