import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, relative, resolve } from 'node:path';
import { z } from 'zod';
import { cronProblem } from './cron-problem.ts';
import { readProxyException } from '../shared/net/proxy-exceptions.ts';
import { readNetworks } from '../shared/net/public-addresses.ts';
import { MOMENT_FORM, readMoment } from '../shared/moments.ts';
import { redactText } from '../shared/log/redaction.ts';

/** The forms of settings, each with the message for a wrong value. */

export const wholeNumberSetting = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}, without a unit`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** Whether a file is there, and whether this user may read it. A folder that this user may not enter hides its files. */
export function fileAccess(file: string): 'readable' | 'forbidden' | 'missing' {
  try {
    accessSync(file, constants.R_OK);
    return 'readable';
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
      ? 'forbidden'
      : 'missing';
  }
}

/** An address, a network, or one of the names that express knows. */
function isProxyRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [host = '', bits] = text.split('/', 2);
  const version = isIP(host);
  return (
    version !== 0 &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  );
}

/** No host name holds a star, though `URL` accepts one. */
function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && !hostname.includes('*');
}

/** Paths are appended to the address: a query or a fragment would swallow the paths. */
function isPlainAddress(text: string): boolean {
  if (!isHttpAddress(text)) return true;
  const { search, hash, username, password } = new URL(text);
  return !/[?#]/.test(text) && `${search}${hash}${username}${password}` === '';
}

/**
 * A slash in a password ends the host early. Then the rest of the password would count as the database name, and
 * messages quote this name.
 */
const isDatabaseName = (path: string) => path.length > 1 && !path.includes('@');

export const isPostgres = (text: string) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && isDatabaseName(new URL(text).pathname);
const isDatabaseUrl = (text: string) => /^sqlite:./.test(text) || isPostgres(text);

const anyHttpAddress = z
  .string()
  .refine(isHttpAddress, 'must be an http or https address, such as https://host.example')
  .transform((given) => given.replace(/\/+$/, ''));

export const httpAddress = anyHttpAddress.refine(
  isPlainAddress,
  'must be an address without user, query and fragment',
);

export const origin = anyHttpAddress.refine(
  (given) => !isHttpAddress(given) || new URL(given).origin === given,
  'must be a scheme, a host and a port, no more',
);

export const onOrOff = z
  .enum(['on', 'off'], 'must be on or off')
  .default('off')
  .transform((word) => word === 'on');

/** The path itself where it exists, else the nearest existing folder above. */
function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Blanks or line breaks around a value come from a paste, or from a file with a line break at its end. */
export const plainText = z
  .string()
  .refine((given) => given === given.trim(), 'begins or ends with a blank or a line break');

const HOME = /^(sqlite:)?~/;

/** Services have no shell that replaces `~` with a home folder. Otherwise a folder named `~` would be made. */
export const path = plainText.refine(
  (given) => !HOME.test(given),
  'begins with ~, which only a shell replaces: write the whole path',
);

/** A client id or client secret (RFC 6749 appendix A.1 and A.2). */
export const clientWord = plainText.refine(
  (given) => /^[\x20-\x7e]*$/.test(given.trim()),
  'must be printable ASCII, on one line',
);

/** A folder that exists or could be made. */
export const folder = path.superRefine((given, check) => {
  const there = nearestThere(resolve(given));
  if (!isFolder(there)) check.addIssue({ code: 'custom', message: `${redactText(there)} is not a folder` });
});

export const readableFile = path
  .refine((file) => HOME.test(file) || fileAccess(file) === 'readable', 'cannot be read')
  .refine((file) => !isFolder(file), 'is a folder, and must be a file');

/** The host on which a server can listen: a name or an address alone. */
export const listenHost = plainText
  .refine(
    (given) => isIP(given) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(given),
    'must be a host name or an address alone, without scheme and port',
  )
  .refine(
    (given) => !(/^\d+(\.\d+){3}$/.test(given) && given.split('.').some((part) => Number(part) > 255)),
    'is no address: an address has four numbers from 0 to 255, such as 127.0.0.1',
  );

const SQLITE = 'sqlite:';

const sqliteFile = (given: string) =>
  given.startsWith(SQLITE) ? resolve(given.slice(SQLITE.length)) : undefined;

/**
 * Whether the folder of a SQLite file exists, or is below `varDir`, which the start makes. Elsewhere a new database
 * needs an existing folder: any other path is taken for a mistake.
 */
export function isDatabaseFolderThere(given: string | undefined, varDir: string): boolean {
  const file = sqliteFile(given ?? '');
  if (file === undefined || isFolder(dirname(file))) return true;
  return !relative(resolve(varDir), file).startsWith('..');
}

export const databaseUrl = path
  .refine(
    isDatabaseUrl,
    'must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME (in a password write # / @ % as %23 %2F %40 %25)',
  )
  .refine((given) => !isFolder(sqliteFile(given) ?? ''), 'is a folder, and must be a file');

export const proxies = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (list) => list.length > 0 && list.every(isProxyRange),
    'must be addresses or networks such as 10.0.0.0/8',
  );

/** Calls in 15 minutes, 24 hours and 30 days. */
export type CallQuotas = readonly [number, number, number];

export const port = wholeNumberSetting(0, 65535);
const LONGEST = 10 * 365 * 86400;
export const seconds = wholeNumberSetting(0, LONGEST);
export const secondsAboveZero = wholeNumberSetting(1, LONGEST);

/** Calls of one client of the embedded new API in 15 minutes, 24 hours and 30 days. */
export const quotas = z
  .string()
  .regex(
    /^\s*[1-9]\d{0,8}(\s*,\s*[1-9]\d{0,8}){2}\s*$/,
    'must be three whole numbers from 1 to 999999999, for 15 minutes, 24 hours and 30 days, such as 100,250,3000',
  )
  .transform((text): CallQuotas => {
    const [short = 0, day = 0, month = 0] = text.split(',').map(Number);
    return [short, day, month];
  });

export const moment = z.string().transform((text, check): number => {
  const time = readMoment(text);
  if (time === undefined) check.addIssue({ code: 'custom', message: MOMENT_FORM });
  return time ?? 0;
});

export const cron = z.string().superRefine((given, check) => {
  const message = cronProblem(given);
  if (message !== undefined) check.addIssue({ code: 'custom', message });
});

/** No date is set further ahead than this. */
const DAYS_MAX = 3650;

/** Whole days without repetition, the largest first. */
export const dayList = z
  .string()
  .regex(
    /^\s*\d{1,4}(\s*,\s*\d{1,4})*\s*$/,
    'must be whole numbers of days with commas between, such as 30,7,1,0',
  )
  .transform((text) => [...new Set(text.split(',').map(Number))].toSorted((a, b) => b - a))
  .refine((days) => days.every((number) => number <= DAYS_MAX), `must be at most ${DAYS_MAX} days each`);

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Scheme, user and password, host, port. */
const PROXY =
  /^http:\/\/(?:[^\s:@/?#\\]+(?::[^\s:@/?#\\]*)?@)?(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[1-9]\d{0,4})?\/?$/i;

/** An outbound proxy. TLS to the proxy itself is not served: what goes through it is encrypted anyway. */
export const outboundProxy = plainText.refine(
  (given) => PROXY.test(given) && URL.canParse(given) && isDecodable(given),
  'must be http://HOST:PORT or http://USER:PASSWORD@HOST:PORT (in a user or password write # / @ % as %23 %2F %40 %25)',
);

/** Hosts that are reached without the proxy, with commas or blanks between. */
export const hostList = z
  .string()
  .transform((given) => given.split(/[\s,]+/).filter((host) => host !== ''))
  .refine(
    (hosts) => hosts.every((host) => readProxyException(host) !== undefined),
    'must be host names, addresses or networks with commas between, each with :PORT behind it or without, or *',
  );

/** Networks with commas or blanks between. */
export const networkList = z
  .string()
  .transform((given) => readNetworks(given.split(/[\s,]+/).filter((network) => network !== '')))
  .refine(
    (networks) => networks !== undefined,
    'must be networks such as 10.20.0.0/16 or fd00:1::/64, with commas between',
  );
