import { resolve } from 'node:path';
import { type Contradiction, contradictions, NO_KEYS } from './config-rules.ts';
import { fileAccess, isPostgres, isDatabaseFolderThere } from './config-values.ts';
import { ConfigError } from './config-error.ts';
import { companyOf, type CompanySettings } from './company-sign-in.ts';
import { type EmbeddedConfig, embeddedOf, oldBackendUrlOf } from './embedded.ts';
import { type Environment, environment } from './environment.ts';
import type { Brand } from './brand-values.ts';
import type { LeakReportKeys } from './leak-keys.ts';
import { parseEach } from './parse-each.ts';
import { doubtsIn } from './setting-doubts.ts';
import { misspelledFiles, readSecretFiles, withoutFiles } from './secret-files.ts';
import { misspelledNames } from './unknown-names.ts';
import { DAY, HOUR } from '../shared/lifetimes.ts';
import type { OutboundProxy } from '../shared/net/outbound-proxy.ts';
import type { AllowedNetworks } from '../shared/net/public-addresses.ts';
import type { MailSettings } from '../shared/mail/mailer.ts';
import type { TracingSettings } from '../shared/trace/tracing.ts';
import type { DatabaseLocation } from '../store/driver/open-store.ts';

/** The only reader of the environment: text in, one frozen `Config` out, with every problem reported together. */

/** Long enough for a balancer to ask `/ready` and to send its calls elsewhere. */
const PRODUCTION_DRAIN = 5;

/** Far less than any old client waits. A developer's machine is late for many reasons, and refuses nothing. */
const PRODUCTION_OVERLOAD_WAIT = 200;

/** The data that the bridge needs as a client of the new API. */
export interface UpstreamConfig {
  authUrl: string;
  apiUrl: string;
  clientId: string;
  /** Undefined for a public client, which authenticates with PKCE alone. */
  clientSecret: string | undefined;
}

export interface Config extends Brand {
  production: boolean;
  host: string;
  port: number;
  publicUrl: string;
  varDir: string;
  database: DatabaseLocation;
  keysFile: string;
  /** Undefined: the embedded new API is started, and the bridge is registered there. */
  upstream: UpstreamConfig | undefined;
  embedded: EmbeddedConfig;
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
  /** The public keys of those who may report leaked tokens, by identifier; undefined: nobody may. */
  leakReportKeys: LeakReportKeys | undefined;
  /** How long a leaked token goes on after its report, in milliseconds. */
  leakedTokenGrace: number;
  /** The identity provider at which staff sign in; undefined: staff sign in with their account at the new API. */
  company: CompanySettings | undefined;
  /** The secret of the client there. */
  companySecret: string | undefined;
  /** Who may register an app on the owners' pages. */
  appRegistration: 'open' | 'staff' | 'off';
  rateLimitPerMinute: number;
  /** The longest that an accepted call should wait for its process, in milliseconds; 0: no call is refused for that. */
  overloadWait: number;
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
  /** The proxy through which other machines are reached over HTTPS. May hold a password. */
  outboundProxy: OutboundProxy | undefined;
  /** Networks that webhooks may lead to although they are not public. */
  webhookNetworks: AllowedNetworks;
  /** How long calls are still accepted after the process was asked to stop, in milliseconds. */
  drain: number;
  logLevel: string;
  /** Who bears this token may read the metrics from anywhere. A secret. */
  metricsToken: string | undefined;
  /** Where traces are sent; undefined where none are recorded. The headers may hold a secret. */
  tracing: TracingSettings | undefined;
  /** Which requests get a line in the log. */
  logRequests: 'off' | 'errors' | 'all';
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
    ? ({
        appRegistration: 'staff',
        drainSeconds: PRODUCTION_DRAIN,
        overloadWait: PRODUCTION_OVERLOAD_WAIT,
      } as const)
    : ({ appRegistration: 'open', drainSeconds: 0, overloadWait: 0 } as const);
}

function tlsOf({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }: Environment): Config['tls'] {
  return certFile && keyFile ? { certFile, keyFile } : undefined;
}

/** The traces endpoint is the whole address; the other one is where all that OpenTelemetry collects goes. */
function tracingOf(env: Environment): TracingSettings | undefined {
  const all = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (all && `${all}/v1/traces`);
  if (url === undefined) return undefined;
  const headers = env.OTEL_EXPORTER_OTLP_HEADERS ?? {};
  return { url, headers, serviceName: env.OTEL_SERVICE_NAME, ratio: env.OTEL_TRACES_SAMPLER_ARG };
}

function outboundProxyOf({
  HTTPS_PROXY: url,
  NO_PROXY: except = [],
}: Environment): OutboundProxy | undefined {
  return url === undefined ? undefined : { url, except };
}

const brandOf = (env: Environment): Brand => ({
  serviceName: env.SERVICE_NAME,
  serviceLogo: env.SERVICE_LOGO,
  serviceLanguage: env.SERVICE_LANGUAGE,
  helpUrl: env.HELP_URL,
});

const datesOf = (env: Environment): Config['dates'] => ({
  deprecation: env.LEGACY_DEPRECATED_AT,
  retirement: env.LEGACY_RETIREMENT_AT,
  sunset: env.BRIDGE_SUNSET_AT,
});

const leaksOf = (env: Environment): Pick<Config, 'leakReportKeys' | 'leakedTokenGrace'> => ({
  leakReportKeys: env.LEAK_REPORT_KEYS,
  leakedTokenGrace: env.LEAKED_TOKEN_GRACE_HOURS * HOUR,
});

function interpret(env: Environment): Config {
  const defaults = defaultsOf(env);
  const varDir = resolve(env.VAR_DIR);
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  return {
    production: env.NODE_ENV === 'production',
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    ...brandOf(env),
    varDir,
    database: databaseOf(env),
    keysFile: keysFileOf(env),
    upstream: upstreamOf(env),
    embedded: embeddedOf(env),
    scopes: env.MODERN_SCOPES.trim(),
    modernSettingsUrl: env.MODERN_SETTINGS_URL,
    inDoubtQuiet: env.IN_DOUBT_QUIET_SECONDS * 1000,
    keepAlive: env.GRANT_KEEPALIVE_DAYS * DAY,
    workers: env.WORKERS,
    profilesFresh: env.PROFILES_FRESH_SECONDS * 1000,
    profilesStale: env.PROFILES_STALE_SECONDS * 1000,
    codeReplay: env.LEGACY_CODE_REPLAY,
    company: companyOf(env)?.company,
    companySecret: companyOf(env)?.secret,
    appRegistration: env.APP_REGISTRATION ?? defaults.appRegistration,
    rateLimitPerMinute: env.LEGACY_RATE_LIMIT,
    overloadWait: env.OVERLOAD_WAIT_MS ?? defaults.overloadWait,
    oldBackendUrl: oldBackendUrlOf(env),
    shadow: env.LEGACY_SHADOW,
    ...leaksOf(env),
    dates: datesOf(env),
    reminderCron: env.REMINDER_CRON,
    reminderDays: env.REMINDER_DAYS,
    sendsReminders: env.NODE_ENV !== 'production' || env.SMTP_URL !== undefined,
    trustModernEmails: env.TRUST_MODERN_EMAILS,
    mail: mailOf(env, publicUrl),
    tls: tlsOf(env),
    trustProxy: env.TRUST_PROXY ?? [],
    outboundProxy: outboundProxyOf(env),
    webhookNetworks: env.WEBHOOK_ALLOW_NETWORKS,
    drain: (env.DRAIN_SECONDS ?? defaults.drainSeconds) * 1000,
    logLevel: env.LOG_LEVEL,
    metricsToken: env.METRICS_TOKEN,
    tracing: tracingOf(env),
    logRequests: env.LOG_REQUESTS,
  };
}

type Variables = Record<string, string | undefined>;

const isAboutAny = ({ text, about }: Contradiction, names: readonly string[]) =>
  names.some((name) => about?.includes(name) ?? new RegExp(`\\b${name}\\b`).test(text));

/** An empty text counts as unset. */
const givenOf = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, text]],
    ),
  );

/** `isAsked` selects the problems to report, by their lines. */
function readEnvironment(variables: Variables, isAsked: (line: string) => boolean): Environment {
  const secrets = readSecretFiles(givenOf(variables));
  const given = secrets.variables;
  const { env, problems, wrong: misread } = parseEach(environment, given);
  const wrong = [...secrets.wrong, ...misread];
  const surroundings = {
    keysFile: { path: keysFileOf(env), access: fileAccess(keysFileOf(env)) },
    isDatabaseFolderThere: isDatabaseFolderThere(env.DATABASE_URL, env.VAR_DIR),
    given: withoutFiles(Object.keys(given)),
    wrong,
  };
  const all = [
    ...misspelledNames(withoutFiles(Object.keys(given)), Object.keys(environment.shape)),
    ...misspelledFiles(Object.keys(given)),
    ...secrets.problems,
    ...problems,
    // A setting that is wrong by itself counts as unset here. Its line must not also say that the setting is missing.
    ...contradictions(env, surroundings).flatMap((line) => (isAboutAny(line, wrong) ? [] : [line.text])),
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

/** What is probably a mistake in the settings, for `doctor` (`doubtsIn`). */
export const doubtsAboutSettings = (variables: Variables = process.env): string[] => doubtsIn(variables);

const concernsKeys = (line: string) =>
  !line.includes(NO_KEYS) && /\b(KEYS_FILE|VAR_DIR|DATABASE_URL(_FILE)?)\b/.test(line);

/**
 * The path of the key file, and its database. The other settings are not checked: in production the key file is made
 * before they are complete, and `readConfig` needs the key file.
 * @throws {ConfigError} where a setting about the key file or the database is wrong
 */
export function readKeysPlace(variables: Variables = process.env): Pick<Config, 'keysFile' | 'database'> {
  const env = readEnvironment(variables, concernsKeys);
  return { keysFile: keysFileOf(env), database: databaseOf(env) };
}

/** What the environment says of the terminal: the conventions of no-color.org, and the pager of the person. */
export const readTerminalWishes = ({ FORCE_COLOR, NO_COLOR, PAGER, TERM }: Variables = process.env) => ({
  isColorForced: FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false',
  isColorRefused: Boolean(NO_COLOR) || FORCE_COLOR === '0' || FORCE_COLOR === 'false' || TERM === 'dumb',
  pager: PAGER,
});
