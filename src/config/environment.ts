import { BlockList } from 'node:net';
import { z } from 'zod';
import {
  clientWord,
  cron,
  databaseUrl,
  dayList,
  folder,
  hostList,
  httpAddress,
  listenHost,
  moment,
  networkList,
  onOrOff,
  origin,
  outboundProxy,
  port,
  proxies,
  quotas,
  readableFile,
  path,
  seconds,
  secondsAboveZero,
  wholeNumberSetting,
} from './config-values.ts';
import { claimName, companyScopes, issuerAddress, roleMap } from './company-values.ts';
import { helpAddress, languageTag, logoFile, shownName } from './brand-values.ts';
import { leakReportKeys } from './leak-keys.ts';
import { headerList, ratio } from './otel-values.ts';
import { isMailAddress } from '../shared/mail/address.ts';
import { readSmtpUrl } from '../shared/mail/smtp-url.ts';

/**
 * Every setting: its name, its form and its default. The table of docs/operate/settings.md lists the same names;
 * test/ground checks that the two agree.
 */

export const environment = z.object({
  NODE_ENV: z
    .enum(
      ['production', 'development', 'test'],
      'must be production (for staging too), development or test. With any other word the rules of production would not apply',
    )
    .default('development'),
  HOST: listenHost.default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: origin.optional(),
  SERVICE_NAME: shownName.default('grantbridge'),
  SERVICE_LOGO: logoFile.optional(),
  SERVICE_LANGUAGE: languageTag.default('en'),
  HELP_URL: helpAddress.optional(),
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
  DEMO_OLD_API_PORT: port.default(3003),
  IN_DOUBT_QUIET_SECONDS: seconds.default(300),
  GRANT_KEEPALIVE_DAYS: wholeNumberSetting(1, 365).default(5),
  WORKERS: wholeNumberSetting(1, 256).default(1),
  KEYS_FILE: path.optional(),
  PROFILES_FRESH_SECONDS: seconds.default(60),
  PROFILES_STALE_SECONDS: seconds.default(86400),
  APP_REGISTRATION: z.enum(['open', 'staff', 'off'], 'must be open, staff or off').optional(),
  STAFF_OIDC_ISSUER: issuerAddress.optional(),
  STAFF_OIDC_CLIENT_ID: clientWord.optional(),
  STAFF_OIDC_CLIENT_SECRET: clientWord.optional(),
  STAFF_OIDC_ROLES: roleMap.optional(),
  STAFF_OIDC_ROLE_CLAIM: claimName.default('groups'),
  STAFF_OIDC_SCOPES: companyScopes.default('openid profile email'),
  STAFF_OIDC_SESSION_MINUTES: wholeNumberSetting(5, 720).default(240),
  STAFF_OIDC_ALSO_LOCAL: onOrOff,
  LEGACY_CODE_REPLAY: z.enum(['deny', 'revoke'], 'must be deny or revoke').default('deny'),
  LEAK_REPORT_KEYS: leakReportKeys.optional(),
  LEAKED_TOKEN_GRACE_HOURS: wholeNumberSetting(0, 720).default(0),
  LEGACY_RATE_LIMIT: wholeNumberSetting(0, 1_000_000).default(60),
  OVERLOAD_WAIT_MS: wholeNumberSetting(0, 10_000).optional(),
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
  HTTPS_PROXY: outboundProxy.optional(),
  NO_PROXY: hostList.optional(),
  WEBHOOK_ALLOW_NETWORKS: networkList.default(new BlockList()),
  DRAIN_SECONDS: wholeNumberSetting(0, 600).optional(),
  METRICS_TOKEN: clientWord
    .refine((token) => token.length >= 16, 'must have at least 16 characters')
    .refine((token) => !/\s/.test(token), 'must not contain a blank')
    .optional(),
  LOG_REQUESTS: z.enum(['off', 'errors', 'all'], 'must be off, errors or all').default('errors'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.optional(),
  OTEL_SERVICE_NAME: clientWord.default('grantbridge'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(0.1),
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug').default('info'),
});

export type Environment = z.infer<typeof environment>;

/** The name of every setting, for the table of docs/operate/settings.md and its test. */
export const settingNames: readonly string[] = Object.keys(environment.shape).filter(
  (name) => name !== 'NODE_ENV',
);
