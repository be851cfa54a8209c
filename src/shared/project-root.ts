import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Absolute path of the checkout. Templates, style sheets and migrations are read from the source tree at run time. This
 * file lies two levels below the root as src/shared/*.ts, as dist/shared/*.js and as a part of dist/program.
 */
export const projectRoot = resolve(fileURLToPath(new URL('.', import.meta.url)), '..', '..');
