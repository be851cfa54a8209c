import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Environment } from './environment.ts';
import { misspelledNames, slipsOf } from './unknown-names.ts';

/** Secrets in files: for each of these settings, `NAME_FILE` names a file that holds what `NAME` would say. */

const SECRETS: ReadonlyArray<keyof Environment> = [
  'DATABASE_URL',
  'MODERN_CLIENT_SECRET',
  'STAFF_OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'HTTPS_PROXY',
  'LEAK_REPORT_KEYS',
];

/** No secret, but too long for a variable; a service publishes it as a file of many lines. */
const OF_MANY_LINES: ReadonlyArray<keyof Environment> = ['LEAK_REPORT_KEYS'];

const ENDING = '_FILE';

/** The names of all settings that name a file with a secret. */
export const secretFileNames: readonly string[] = SECRETS.map((name) => `${name}${ENDING}`);

/** The names of variables, and of a file with a secret the name of the secret. */
export const withoutFiles = (names: readonly string[]): string[] =>
  names.map((name) => (secretFileNames.includes(name) ? name.slice(0, -ENDING.length) : name));

/** A line for each name that resembles the name of a file with a secret. */
export function misspelledFiles(names: readonly string[]): string[] {
  const others = names.filter((name) => !secretFileNames.includes(name));
  const files = others.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  return [...new Set([...misspelledNames(files, SECRETS, ENDING), ...slipsOf(others, secretFileNames)])];
}

/** No secret is so long. A larger file is another one, named by mistake. */
const SIZE_MAX = 64 * 1024;

type Variables = Record<string, string>;

interface WithSecrets {
  /** The variables, with the secrets in the place of the names of their files. */
  variables: Variables;
  /** A line for each file that cannot be used. Nothing of its content is quoted. */
  problems: string[];
  /** The settings that are unknown for that. */
  wrong: string[];
}

/**
 * The text of a file, without the mark of a byte order. Only a plain file of this size is opened: a pipe or a device may
 * have no end.
 */
function textOf(path: string): string | { problem: string } {
  const found = statSync(path);
  if (!found.isFile()) return { problem: `${path} is not a file` };
  if (found.size > SIZE_MAX) return { problem: `${path} is larger than 64 kB` };
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? bytes.toString('utf8').replace(/^\uFEFF/, '') : { problem: `${path} is not UTF-8` };
}

/** Anything else may be the secret itself, and is not told. */
const isWholePath = (path: string) => isAbsolute(path) && !/\p{Cc}/u.test(path);

/** What the file holds, without the line end that an editor leaves; or the problem in plain words. */
function contentOf(path: string, mayHaveLines: boolean): { text: string } | { problem: string } {
  if (!isWholePath(path)) return { problem: 'must be the whole path of a file, and not the secret itself' };
  try {
    const whole = textOf(path);
    if (typeof whole === 'object') return whole;
    const text = whole.replace(/\r?\n$/, '');
    if (text === '') return { problem: `${path} is empty` };
    return !mayHaveLines && /[\r\n]/.test(text) ? { problem: `${path} has more than one line` } : { text };
  } catch (error) {
    return { problem: `${path} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** Reads the files that `given` names; empty variables are not among them. */
export function readSecretFiles(given: Variables): WithSecrets {
  const found: WithSecrets = { variables: { ...given }, problems: [], wrong: [] };
  for (const name of SECRETS) {
    const path = given[`${name}${ENDING}`];
    if (path === undefined) continue;
    const content =
      given[name] === undefined
        ? contentOf(path, OF_MANY_LINES.includes(name))
        : { problem: `${name} is set too, set one of the two` };
    if ('text' in content) found.variables[name] = content.text;
    else {
      found.problems.push(`${name}${ENDING}: ${content.problem}`);
      found.wrong.push(name);
    }
  }
  return found;
}
