import { resolve } from 'node:path';
import { z } from 'zod';
import { contradictions, NO_KEYS } from './config-rules.ts';
import {
  clientWord,
  cron,
  databaseUrl,
  dayList,
  folder,
  httpAddress,
  isPostgres,
  isDatabaseFolderThere,
  isReadable,
  listenHost,
  moment,
  onOrOff,
  origin,
  port,
  proxies,
  type CallQuotas,
  quotas,
  readableFile,
  path,
  seconds,
  secondsAboveZero,
  wholeNumberSetting,
} from './config-values.ts';
import { ConfigError } from './config-error.ts';
import { parseEach } from './parse-each.ts';
import { misspelledNames } from './unknown-names.ts';
import { DAY } from '../shared/lifetimes.ts';
import { isMailAddress } from '../shared/mail/address.ts';
import type { MailSettings } from '../shared/mail/mailer.ts';
import { readSmtpUrl } from '../shared/mail/smtp-url.ts';
import type { DatabaseLocation } from '../store/driver/open-store.ts';

/**
 * The only reader of the environment: text in, one frozen `Config` out, with every problem reported together.
 * The table of docs/operate/settings.md lists the same names; test/ground checks that the two agree.
 */

const environment = z.object({
  NODE_ENV: z
    .enum(
      ['production', 'development', 'test'],
      'must be production (for staging too), development or test. With any other word the rules of production would not apply',
    )
    .default('development'),
  HOST: listenHost.default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: origin.optional(),
  VAR_DIR: folder.default('var'),
  DATABASE_URL: databaseUrl.optional(),
  MODERN_AUTH_URL: httpAddress.optional(),
  MODERN_API_URL: httpAddress.optional(),
  MODERN_CLIENT_ID: clientWord.optional(),
  MODERN_CLIENT_SECRET: clientWord.optional(),
  MODERN_SETTINGS_URL: httpAddress.optional(),
  MODERN_PORT: port.default(3001),
  MODERN_ACCESS_TOKEN_SECONDS: secondsAboveZero.default(3600),
  MODERN_QUOTAS: quotas.optional(),
  MODERN_SCOPES: z
    .string()
    .refine((given) => !/[,;]/.test(given), 'must be scopes with blanks between')
    .default('account:read posts:read posts:write offline_access'),
  DEMO_PORT: port.default(3002),
  IN_DOUBT_QUIET_SECONDS: seconds.default(300),
  GRANT_KEEPALIVE_DAYS: wholeNumberSetting(1, 365).default(5),
  WORKERS: wholeNumberSetting(1, 256).default(1),
  KEYS_FILE: path.optional(),
  PROFILES_FRESH_SECONDS: seconds.default(60),
  PROFILES_STALE_SECONDS: seconds.default(86400),
  APP_REGISTRATION: z.enum(['open', 'staff', 'off'], 'must be open, staff or off').optional(),
  LEGACY_CODE_REPLAY: z.enum(['deny', 'revoke'], 'must be deny or revoke').default('deny'),
  LEGACY_RATE_LIMIT: wholeNumberSetting(0, 1_000_000).default(60),
  LEGACY_BACKEND_URL: origin.optional(),
  LEGACY_SHADOW: onOrOff,
  LEGACY_DEPRECATED_AT: moment.optional(),
  LEGACY_RETIREMENT_AT: moment.optional(),
  BRIDGE_SUNSET_AT: moment.optional(),
  REMINDER_CRON: cron.default('*/15 * * * *'),
  REMINDER_DAYS: dayList.default([180, 90, 60, 30, 14, 7, 3, 1, 0]),
  TRUST_MODERN_EMAILS: onOrOff,
  SMTP_URL: z
    .string()
    .refine(
      (text) => readSmtpUrl(text) !== undefined,
      'must be smtp://USER:PASSWORD@HOST:PORT or smtps://…, with user and password or without both (in a user or password write # / @ % as %23 %2F %40 %25). The only option is ?requireTLS=false',
    )
    .optional(),
  MAIL_FROM: z
    .string()
    .refine(isMailAddress, 'must be a mail address alone, such as no-reply@example.org, without a name')
    .optional(),
  TLS_CERT_FILE: readableFile.optional(),
  TLS_KEY_FILE: readableFile.optional(),
  TRUST_PROXY: proxies.optional(),
  DRAIN_SECONDS: wholeNumberSetting(0, 600).optional(),
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug').default('info'),
});

/** Long enough for a balancer to ask `/ready` and to send its calls elsewhere. */
const PRODUCTION_DRAIN = 5;

type Environment = z.infer<typeof environment>;

/** The name of every setting, for the table of docs/operate/settings.md and its test. */
export const settingNames: readonly string[] = Object.keys(environment.shape).filter(
  (name) => name !== 'NODE_ENV',
);

/** The data that the bridge needs as a client of the new API. */
export interface UpstreamConfig {
  authUrl: string;
  apiUrl: string;
  clientId: string;
  /** Undefined for a public client, which authenticates with PKCE alone. */
  clientSecret: string | undefined;
}

export interface Config {
  production: boolean;
  host: string;
  port: number;
  publicUrl: string;
  varDir: string;
  database: DatabaseLocation;
  keysFile: string;
  /** Undefined: the embedded new API is started, and the bridge is registered there. */
  upstream: UpstreamConfig | undefined;
  embedded: { port: number; accessTokenSeconds: number; quotas: CallQuotas | undefined; demoPort: number };
  scopes: string;
  /** Undefined: `/settings` at the authorization server of the new API. */
  modernSettingsUrl: string | undefined;
  inDoubtQuiet: number;
  /** A grant that is unused for this long is refreshed once; in milliseconds. */
  keepAlive: number;
  /** The number of processes on this machine. */
  workers: number;
  profilesFresh: number;
  profilesStale: number;
  codeReplay: 'deny' | 'revoke';
  /** Who may register an app on the owners' pages. */
  appRegistration: 'open' | 'staff' | 'off';
  rateLimitPerMinute: number;
  /** The old API while it still runs: old tokens are passed through to this address. */
  oldBackendUrl: string | undefined;
  /** Whether a share of the reads is sent to both the old API and the new API, to compare the answers. */
  shadow: boolean;
  /** For a database that has no dates yet; in Unix milliseconds. */
  dates: { deprecation: number | undefined; retirement: number | undefined; sunset: number | undefined };
  /** When reminders are planned, in UTC. */
  reminderCron: string;
  /** How many days before a date people are reminded, the largest number first. */
  reminderDays: readonly number[];
  /** False in production without a mail server: mails in files would be counted as mails that reached people. */
  sendsReminders: boolean;
  /** Whether the new API verifies the e-mail addresses of its accounts. */
  trustModernEmails: boolean;
  /** The SMTP address in these settings may hold a password. */
  mail: MailSettings;
  tls: { certFile: string; keyFile: string } | undefined;
  trustProxy: string[];
  /** How long calls are still accepted after the process was asked to stop, in milliseconds. */
  drain: number;
  logLevel: string;
}

function upstreamOf(env: Environment): UpstreamConfig | undefined {
  if (!env.MODERN_AUTH_URL || !env.MODERN_API_URL || !env.MODERN_CLIENT_ID) return undefined;
  return {
    authUrl: env.MODERN_AUTH_URL,
    apiUrl: env.MODERN_API_URL,
    clientId: env.MODERN_CLIENT_ID,
    clientSecret: env.MODERN_CLIENT_SECRET,
  };
}

function databaseOf(env: Environment): DatabaseLocation {
  const url = env.DATABASE_URL ?? `sqlite:${resolve(env.VAR_DIR)}/bridge.db`;
  if (isPostgres(url)) return { kind: 'postgres', url };
  return { kind: 'sqlite', file: resolve(url.slice('sqlite:'.length)) };
}

/** `KEYS_FILE`, or the default path below VAR_DIR. */
function keysFileOf(env: Environment): string {
  return resolve(env.KEYS_FILE ?? `${resolve(env.VAR_DIR)}/keys.json`);
}

function mailOf(env: Environment, publicUrl: string): MailSettings {
  return {
    smtpUrl: env.SMTP_URL,
    from: env.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    directory: `${resolve(env.VAR_DIR)}/mail`,
  };
}

/** Defaults that differ in production: stricter or slower, because real callers depend on the bridge. */
function defaultsOf({ NODE_ENV }: Environment) {
  return NODE_ENV === 'production'
    ? ({ appRegistration: 'staff', drainSeconds: PRODUCTION_DRAIN } as const)
    : ({ appRegistration: 'open', drainSeconds: 0 } as const);
}

function tlsOf({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }: Environment): Config['tls'] {
  return certFile && keyFile ? { certFile, keyFile } : undefined;
}

function interpret(env: Environment): Config {
  const defaults = defaultsOf(env);
  const varDir = resolve(env.VAR_DIR);
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  return {
    production: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    varDir,
    database: databaseOf(env),
    keysFile: keysFileOf(env),
    upstream: upstreamOf(env),
    embedded: {
      port: env.MODERN_PORT,
      accessTokenSeconds: env.MODERN_ACCESS_TOKEN_SECONDS,
      quotas: env.MODERN_QUOTAS,
      demoPort: env.DEMO_PORT,
    },
    scopes: env.MODERN_SCOPES.trim(),
    modernSettingsUrl: env.MODERN_SETTINGS_URL,
    inDoubtQuiet: env.IN_DOUBT_QUIET_SECONDS * 1000,
    keepAlive: env.GRANT_KEEPALIVE_DAYS * DAY,
    workers: env.WORKERS,
    profilesFresh: env.PROFILES_FRESH_SECONDS * 1000,
    profilesStale: env.PROFILES_STALE_SECONDS * 1000,
    codeReplay: env.LEGACY_CODE_REPLAY,
    appRegistration: env.APP_REGISTRATION ?? defaults.appRegistration,
    rateLimitPerMinute: env.LEGACY_RATE_LIMIT,
    oldBackendUrl: env.LEGACY_BACKEND_URL,
    shadow: env.LEGACY_SHADOW,
    dates: {
      deprecation: env.LEGACY_DEPRECATED_AT,
      retirement: env.LEGACY_RETIREMENT_AT,
      sunset: env.BRIDGE_SUNSET_AT,
    },
    reminderCron: env.REMINDER_CRON,
    reminderDays: env.REMINDER_DAYS,
    sendsReminders: env.NODE_ENV !== 'production' || env.SMTP_URL !== undefined,
    trustModernEmails: env.TRUST_MODERN_EMAILS,
    mail: mailOf(env, publicUrl),
    tls: tlsOf(env),
    trustProxy: env.TRUST_PROXY ?? [],
    drain: (env.DRAIN_SECONDS ?? defaults.drainSeconds) * 1000,
    logLevel: env.LOG_LEVEL,
  };
}

type Variables = Record<string, string | undefined>;

/** An empty text counts as unset. `isAsked` selects the problems to report, by their lines. */
function readEnvironment(variables: Variables, isAsked: (line: string) => boolean): Environment {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, text]) => text !== undefined && text !== ''),
  );
  const { env, problems, wrong } = parseEach(environment, given);
  const surroundings = {
    isKeysFileThere: isReadable(keysFileOf(env)),
    isDatabaseFolderThere: isDatabaseFolderThere(env.DATABASE_URL, env.VAR_DIR),
  };
  const namesWrong = (line: string) => wrong.some((name) => new RegExp(`\\b${name}\\b`).test(line));
  const all = [
    ...misspelledNames(Object.keys(given), Object.keys(environment.shape)),
    ...problems,
    // A setting that is wrong by itself counts as unset here. Its line must not also say that the setting is missing.
    ...contradictions(env, surroundings).filter((line) => !namesWrong(line)),
  ].filter(isAsked);
  if (all.length > 0) throw new ConfigError(all);
  return env;
}

/**
 * Reads the settings.
 * @throws {ConfigError} naming every wrong setting at once
 */
export function readConfig(variables: Variables = process.env): Config {
  return Object.freeze(interpret(readEnvironment(variables, () => true)));
}

const concernsKeys = (line: string) => line !== NO_KEYS && /\b(KEYS_FILE|VAR_DIR|DATABASE_URL)\b/.test(line);

/**
 * The path of the key file, and its database. The other settings are not checked: in production the key file is made
 * before they are complete, and `readConfig` needs the key file.
 * @throws {ConfigError} where a setting about the key file or the database is wrong
 */
export function readKeysPlace(variables: Variables = process.env): Pick<Config, 'keysFile' | 'database'> {
  const env = readEnvironment(variables, concernsKeys);
  return { keysFile: keysFileOf(env), database: databaseOf(env) };
}
