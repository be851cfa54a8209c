import { openDatabaseProblem } from './database-tls.ts';
import { trustsTooMany } from './trusted-proxies.ts';
import { redactText } from '../shared/log/redaction.ts';
import { isLoopbackHost } from '../shared/net/loopback.ts';

/**
 * The rules over several settings, or over a setting and production. The rules are pure: config.ts reads everything.
 */

/** The settings that the rules look at. Each one is already valid by itself. */
export interface RuledSettings {
  NODE_ENV: string;
  HOST: string;
  PORT: number;
  PUBLIC_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  KEYS_FILE?: string | undefined;
  MODERN_AUTH_URL?: string | undefined;
  MODERN_API_URL?: string | undefined;
  MODERN_CLIENT_ID?: string | undefined;
  MODERN_CLIENT_SECRET?: string | undefined;
  MODERN_PORT: number;
  MODERN_SCOPES: string;
  DEMO_PORT: number;
  DEMO_OLD_API_PORT: number;
  IN_DOUBT_QUIET_SECONDS: number;
  PROFILES_FRESH_SECONDS: number;
  PROFILES_STALE_SECONDS: number;
  STAFF_OIDC_ISSUER?: string | undefined;
  LEGACY_BACKEND_URL?: string | undefined;
  LEGACY_SHADOW: boolean;
  LEGACY_DEPRECATED_AT?: number | undefined;
  LEGACY_RETIREMENT_AT?: number | undefined;
  BRIDGE_SUNSET_AT?: number | undefined;
  SMTP_URL?: string | undefined;
  MAIL_FROM?: string | undefined;
  TLS_CERT_FILE?: string | undefined;
  TLS_KEY_FILE?: string | undefined;
  TRUST_PROXY?: string[] | undefined;
}

/** The facts about the machine that the rules need. */
interface MachineState {
  keysFile: { path: string; access: 'readable' | 'forbidden' | 'missing' };
  isDatabaseFolderThere: boolean;
  /**
   * The settings that have a text, also a wrong one or blanks alone, which is unset for the rules: its partners are
   * still missing.
   */
  given: readonly string[];
  /** The settings that are wrong by themselves. */
  wrong: readonly string[];
}

/** A row is `[is it wrong, what to say, which settings it is about]`. Without the last the text names them all. */
type Rule = [boolean, string, (readonly string[])?];

/** A line for the operator. It begins with the name of its setting. */
export interface Contradiction {
  text: string;
  /** Given where the text quotes something that may look like the name of another setting, such as a path. */
  about: readonly string[] | undefined;
}

const TLS_NAMES = ['TLS_CERT_FILE', 'TLS_KEY_FILE'];
const UPSTREAM_NAMES = ['MODERN_AUTH_URL', 'MODERN_API_URL', 'MODERN_CLIENT_ID'] as const;

/** Whether the address leads to another machine without TLS. */
export const isOpenHttp = (address: string | undefined) =>
  address !== undefined && address.startsWith('http:') && !isLoopbackHost(new URL(address).hostname);

const missingOf = (names: readonly string[], given: readonly string[]) =>
  names.filter((name) => !given.includes(name));

/** Some are given and others are not. The line names only those that are missing. */
function incomplete(names: readonly string[], given: readonly string[], why: string): Rule {
  const missing = missingOf(names, given);
  return [
    missing.length > 0 && missing.length < names.length,
    `${missing.join(', ')}: must be set too. ${why}`,
  ];
}

const PORTS = ['PORT', 'MODERN_PORT', 'DEMO_PORT', 'DEMO_OLD_API_PORT'] as const;

/** Of those that are not wrong already. */
function areEqualPorts(env: RuledSettings, { wrong }: MachineState): boolean {
  const hasOldApi = env.LEGACY_BACKEND_URL === undefined;
  const used = PORTS.filter((name) => hasOldApi || name !== 'DEMO_OLD_API_PORT');
  const fixed = used.filter((name) => env[name] !== 0 && !wrong.includes(name)).map((name) => env[name]);
  return new Set(fixed).size < fixed.length;
}

function hasScope(env: RuledSettings, scope: string): boolean {
  return env.MODERN_SCOPES.split(/\s+/).includes(scope);
}

/** PostgreSQL takes `-c name=value` and `--name=value`, any case, `-` for `_`, and a backslash before any character. */
const SYNCHRONOUS_COMMIT = /synchronous_commit\s*=\s*'?([a-z0-9_]*)/g;
const KEPT_COMMITS = ['on', 'true', 'yes', '1', 'local', 'remote_write', 'remote_apply'];

/** Every connection of the pool uses the options in the address, whatever the server's own setting is. */
function losesCommits(address: string | undefined): boolean {
  if (!address?.startsWith('postgres')) return false;
  const options = new URL(address).searchParams.getAll('options').join(' ');
  const plain = options.replaceAll('\\', '').replaceAll('-', '_').toLowerCase();
  return [...plain.matchAll(SYNCHRONOUS_COMMIT)].some(([, value = '']) => !KEPT_COMMITS.includes(value));
}

/** The settings that the company sign-in needs. All are given, or none. */
const COMPANY_NAMES = [
  'STAFF_OIDC_ISSUER',
  'STAFF_OIDC_CLIENT_ID',
  'STAFF_OIDC_CLIENT_SECRET',
  'STAFF_OIDC_ROLES',
] as const;

const COMPANY_OPTIONS = [
  'STAFF_OIDC_ROLE_CLAIM',
  'STAFF_OIDC_SCOPES',
  'STAFF_OIDC_SESSION_MINUTES',
  'STAFF_OIDC_ALSO_LOCAL',
];

/** Half of a company sign-in would leave staff with the other way in, which the operator meant to close. */
function companySignIn(given: readonly string[]): Rule[] {
  const isNone = missingOf(COMPANY_NAMES, given).length === COMPANY_NAMES.length;
  const alone = COMPANY_OPTIONS.filter((name) => given.includes(name));
  return [
    incomplete(COMPANY_NAMES, given, 'Of the settings of the company sign-in give all of them or none'),
    [isNone && alone.length > 0, `${alone.join(', ')}: needs STAFF_OIDC_ISSUER`],
  ];
}

/** Rules about the new API and the old API. */
function otherSides(env: RuledSettings, { given }: MachineState): Rule[] {
  const hasNone = missingOf(UPSTREAM_NAMES, given).length === UPSTREAM_NAMES.length;
  return [
    [env.MODERN_CLIENT_SECRET !== undefined && hasNone, 'MODERN_CLIENT_SECRET: needs MODERN_CLIENT_ID'],
    [isOpenHttp(env.MODERN_AUTH_URL), 'MODERN_AUTH_URL: must be https, tokens travel there'],
    [isOpenHttp(env.MODERN_API_URL), 'MODERN_API_URL: must be https, tokens travel there'],
    [isOpenHttp(env.LEGACY_BACKEND_URL), 'LEGACY_BACKEND_URL: must be https, tokens travel there'],
    [isOpenHttp(env.STAFF_OIDC_ISSUER), 'STAFF_OIDC_ISSUER: must be https, sign-ins travel there'],
    ...companySignIn(given),
    [
      env.LEGACY_SHADOW && env.LEGACY_BACKEND_URL === undefined,
      'LEGACY_SHADOW: needs LEGACY_BACKEND_URL. Without an old API there is nothing to compare with',
    ],
    [
      env.LEGACY_BACKEND_URL !== undefined && env.LEGACY_BACKEND_URL === env.PUBLIC_URL,
      'LEGACY_BACKEND_URL: must not be PUBLIC_URL. The bridge would pass calls on to itself',
    ],
    [!hasScope(env, 'account:read'), 'MODERN_SCOPES: must contain account:read'],
    [!hasScope(env, 'offline_access'), 'MODERN_SCOPES: must contain offline_access'],
  ];
}

/** Rules about order: dates that must not come before others, and numbers that must not be less than others. */
function orders(env: RuledSettings): Rule[] {
  return [
    [
      (env.BRIDGE_SUNSET_AT ?? Infinity) < (env.LEGACY_DEPRECATED_AT ?? 0),
      'BRIDGE_SUNSET_AT: must not be before LEGACY_DEPRECATED_AT',
    ],
    [
      (env.BRIDGE_SUNSET_AT ?? Infinity) < (env.LEGACY_RETIREMENT_AT ?? 0),
      'BRIDGE_SUNSET_AT: must not be before LEGACY_RETIREMENT_AT. At the sunset all old calls end',
    ],
    [
      env.PROFILES_STALE_SECONDS < env.PROFILES_FRESH_SECONDS,
      'PROFILES_STALE_SECONDS: must not be less than PROFILES_FRESH_SECONDS. The bridge would discard answers that are still fresh',
    ],
  ];
}

function itself(env: RuledSettings, surroundings: MachineState): Rule[] {
  const openProblem = openDatabaseProblem(env.DATABASE_URL);
  return [
    [isOpenHttp(env.PUBLIC_URL), 'PUBLIC_URL: must be https, codes and cookies travel there'],
    [
      losesCommits(env.DATABASE_URL),
      'DATABASE_URL: the options must not switch synchronous_commit off. A crash could lose a change that a caller was already told of',
    ],
    [openProblem !== undefined, `DATABASE_URL: ${openProblem}`, ['DATABASE_URL']],
    [
      !surroundings.isDatabaseFolderThere,
      'DATABASE_URL: the folder of the database file does not exist. Make the folder, or correct the path',
    ],
    [
      trustsTooMany(env.TRUST_PROXY ?? []),
      'TRUST_PROXY: names too many addresses. One network, or adjacent networks together, may be no larger than /8 (IPv6: /16). Every address in TRUST_PROXY can claim that a call came over https',
    ],
    incomplete(TLS_NAMES, surroundings.given, 'A certificate and its key belong together: give both or none'),
    [
      surroundings.given.includes('SMTP_URL') && !surroundings.given.includes('MAIL_FROM'),
      'MAIL_FROM: must be set for a mail server. A mail server refuses unknown senders',
    ],
  ];
}

function outsideProduction(env: RuledSettings, surroundings: MachineState): Rule[] {
  const { given } = surroundings;
  const missing = missingOf(UPSTREAM_NAMES, given);
  return [
    incomplete(UPSTREAM_NAMES, given, 'Of the three settings of the new API give all of them or none'),
    [
      missing.length === UPSTREAM_NAMES.length && areEqualPorts(env, surroundings),
      'PORT, MODERN_PORT, DEMO_PORT, DEMO_OLD_API_PORT: must be four different ports',
      [],
    ],
    [!isLoopbackHost(env.HOST), 'HOST: an address that is not loopback needs NODE_ENV=production'],
  ];
}

/** Spellings of this machine that name servers and URLs leave unchanged, beyond the spellings of `isLoopbackHost`. */
const OTHER_LOOPBACK = /(^|\.)localhost\.?$|^0\.0\.0\.0$|^\[::\]$|^\[::ffff:7f/;

/** Public addresses that are refused where other people's accounts are reached through the address. */
function publicAddress(address: string | undefined): Rule[] {
  if (address === undefined) return [[true, 'PUBLIC_URL: must be set in production']];
  const { hostname } = new URL(address);
  const isLoopback = isLoopbackHost(hostname) || OTHER_LOOPBACK.test(hostname);
  return [
    [
      isLoopback,
      'PUBLIC_URL: must not be a loopback address in production. No other machine can reach a loopback address',
    ],
    [
      isLoopback && address.startsWith('http:'),
      'PUBLIC_URL: must be https in production, codes and cookies travel there',
    ],
  ];
}

/** What the message in production without a key file says after the place. */
export const NO_KEYS =
  'Production never makes keys by itself. If the bridge has a database, put back the copy of its key file (without a copy: docs/operate/keys.md, “When the key file is lost”). For a new bridge, make the file once: grantbridge keys init';

/** The file that is there stays the one to use: nobody is then led to a copy, or to new keys. */
const FORBIDDEN_KEYS =
  'may not be read by this user. Run the command as the user that runs the bridge, or give that user the file and its folder back';

/** The file that was looked for is named: its path may come from VAR_DIR alone, and a slip there is seen in the path. */
function missingKeys({ KEYS_FILE }: RuledSettings, { path, access }: MachineState['keysFile']): Rule {
  const isWrong = access !== 'readable';
  const place = redactText(path);
  const words =
    access === 'forbidden'
      ? [`${place} ${FORBIDDEN_KEYS}`]
      : [`${place} is missing or cannot be read`, NO_KEYS];
  if (KEYS_FILE !== undefined) return [isWrong, `KEYS_FILE: ${words.join('. ')}`, ['KEYS_FILE']];
  const [problem, ...next] = words;
  const why = 'Without KEYS_FILE the key file is looked for in VAR_DIR';
  const text = [problem, why, ...next].join('. ');
  return [isWrong, `VAR_DIR, KEYS_FILE: ${text}`, ['VAR_DIR', 'KEYS_FILE']];
}

/** Unsafe combinations that a start in production refuses. */
function inProduction(env: RuledSettings, { keysFile, given }: MachineState): Rule[] {
  const missing = missingOf(UPSTREAM_NAMES, given);
  const hasTls = env.TLS_CERT_FILE !== undefined || env.TLS_KEY_FILE !== undefined;
  return [
    [
      missing.length > 0,
      `${missing.join(', ')}: must be set in production. The embedded new API is only for development and tests`,
    ],
    [
      env.IN_DOUBT_QUIET_SECONDS < 60,
      'IN_DOUBT_QUIET_SECONDS: must be at least 60 in production. The time must be longer than any request can take',
    ],
    ...publicAddress(env.PUBLIC_URL),
    [
      !hasTls && !env.TRUST_PROXY?.length,
      'TLS_CERT_FILE, TRUST_PROXY: production needs TLS. Set TLS_CERT_FILE for TLS by the bridge itself, or TRUST_PROXY for TLS by a proxy. Without TLS the bridge refuses every old call, or a secret travels in the clear',
    ],
    missingKeys(env, keysFile),
  ];
}

/** Every problem, one line each. */
export function contradictions(env: RuledSettings, surroundings: MachineState): Contradiction[] {
  const byKind =
    env.NODE_ENV === 'production' ? inProduction(env, surroundings) : outsideProduction(env, surroundings);
  return [...otherSides(env, surroundings), ...orders(env), ...itself(env, surroundings), ...byKind]
    .filter(([isWrong]) => isWrong)
    .map(([, text, about]) => ({ text, about }));
}
