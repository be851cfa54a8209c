import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Absolute path of the checkout. Templates, style sheets and migrations are read from the source tree at run time. This
 * file lies two levels below the root both as src/shared/*.ts and as dist/shared/*.js.
 */
export const projectRoot = resolve(fileURLToPath(new URL('.', import.meta.url)), '..', '..');
