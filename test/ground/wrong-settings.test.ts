import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { settingNames } from '../../src/config/environment.ts';
import { complaints, type Given, PRODUCTION, UPSTREAM } from './complaints.ts';

/** What an operator may well write into a setting by mistake: each is refused by its name, in words that nothing spoils. */

const folder = mkdtempSync(join(tmpdir(), 'wrong-settings-'));
const file = join(folder, 'a-file');
writeFileSync(file, 'text');
afterAll(() => rmSync(folder, { recursive: true }));

const POSTGRES_FORM =
  'DATABASE_URL: must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME (in a password write # / @ % as %23 %2F %40 %25)';
const SMTP_FORM = 'SMTP_URL: must be smtp://USER:PASSWORD@HOST:PORT or smtps://…,';

const COMPANY = {
  STAFF_OIDC_ISSUER: 'https://login.example',
  STAFF_OIDC_CLIENT_ID: 'support',
  STAFF_OIDC_CLIENT_SECRET: 'the-secret',
  STAFF_OIDC_ROLES: 'leads:lead',
};

/** Blanks in one of these are a second problem: its partners are missing. */
const WITH_PARTNERS = [
  ...Object.keys(UPSTREAM),
  ...Object.keys(COMPANY),
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'SMTP_URL',
];

/** What is given, and how the one line about it begins. */
const WRONG: Array<[Given, string]> = [
  ...settingNames
    .filter((name) => !WITH_PARTNERS.includes(name))
    .map((name): [Given, string] => [{ [name]: ' \t' }, `${name}: holds only blanks`]),
  [{ TRUST_PROXY: ' , ' }, 'TRUST_PROXY: must be addresses or networks'],
  [{ LEGACY_DEPRECATED_AT: '0000-01-01' }, 'LEGACY_DEPRECATED_AT: must be a date such as 2027-02-01'],
  [{ LEGACY_RETIREMENT_AT: '1999-12-31' }, 'LEGACY_RETIREMENT_AT: must be a date such as 2027-02-01'],
  [{ BRIDGE_SUNSET_AT: '1970-01-01T00:00:00Z' }, 'BRIDGE_SUNSET_AT: must be a date such as 2027-02-01'],
  [{ NODE_ENV: 'prod' }, 'NODE_ENV: must be production (for staging too), development or test'],
  [{ NODE_ENV: 'Production' }, 'NODE_ENV: must be production (for staging too), development or test'],
  [{ NODE_ENV: 'staging' }, 'NODE_ENV: must be production (for staging too), development or test'],
  [{ HOST: 'http://127.0.0.1' }, 'HOST: must be a host name or an address alone'],
  [{ HOST: '127.0.0.1:3000' }, 'HOST: must be a host name or an address alone'],
  [{ HOST: '256.1.1.1' }, 'HOST: is no address: an address has four numbers from 0 to 255'],
  [{ HOST: ' 127.0.0.1' }, 'HOST: begins or ends with a blank'],
  [{ HOST: '0.0.0.0' }, 'HOST: an address that is not loopback needs NODE_ENV=production'],
  [{ PORT: '-1' }, 'PORT: must be a whole number from 0 to 65535'],
  [{ PORT: '65536' }, 'PORT: must be at most 65535'],
  [{ PORT: '3000/tcp' }, 'PORT: must be a whole number from 0 to 65535'],
  [{ PORT: '3000 ' }, 'PORT: must be a whole number from 0 to 65535'],
  [{ PORT: '80.5' }, 'PORT: must be a whole number from 0 to 65535'],
  [{ MODERN_PORT: 'auto' }, 'MODERN_PORT: must be a whole number from 0 to 65535'],
  [{ DEMO_PORT: '3000' }, 'PORT, MODERN_PORT, DEMO_PORT, DEMO_OLD_API_PORT: must be four different ports'],
  [{ PUBLIC_URL: 'bridge.example' }, 'PUBLIC_URL: must be an http or https address'],
  [{ PUBLIC_URL: 'localhost:3000' }, 'PUBLIC_URL: must be an http or https address'],
  [{ PUBLIC_URL: 'https://bridge.example/bridge' }, 'PUBLIC_URL: must be a scheme, a host and a port'],
  [{ PUBLIC_URL: 'https://' }, 'PUBLIC_URL: must be an http or https address'],
  [{ PUBLIC_URL: 'https://*.example' }, 'PUBLIC_URL: must be an http or https address'],
  [{ ...PRODUCTION, PUBLIC_URL: '' }, 'PUBLIC_URL: must be set in production'],
  [{ ...PRODUCTION, PUBLIC_URL: 'bridge.example' }, 'PUBLIC_URL: must be an http or https address'],
  [{ VAR_DIR: file }, `VAR_DIR: ${file} is not a folder`],
  [{ VAR_DIR: join(file, 'below') }, `VAR_DIR: ${file} is not a folder`],
  [{ VAR_DIR: 'var\n' }, 'VAR_DIR: begins or ends with a blank or a line break'],
  [{ VAR_DIR: '~/var' }, 'VAR_DIR: begins with ~, which only a shell replaces: write the whole path'],
  [{ DATABASE_URL: 'mysql://user:word@db.example/name' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'db.example:5432/name' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'postgres://user:wo#rd@db.example/name' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'postgres://user:12/ord@localhost/name' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'postgres://user@db.example' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'sqlite:' }, POSTGRES_FORM],
  [{ DATABASE_URL: '/var/lib/bridge.db' }, POSTGRES_FORM],
  [{ DATABASE_URL: 'sqlite:/typo/dir/x.db' }, 'DATABASE_URL: the folder of the database file does not exist'],
  [{ DATABASE_URL: 'sqlite:~/bridge.db' }, 'DATABASE_URL: begins with ~'],
  [{ DATABASE_URL: `sqlite:${folder}` }, 'DATABASE_URL: is a folder, and must be a file'],
  [
    { DATABASE_URL: 'postgres://user@localhost/name?sslmode=bogus' },
    'DATABASE_URL: sslmode=bogus is not known',
  ],
  [
    { DATABASE_URL: 'postgres://user@db.example/name' },
    'DATABASE_URL: the bridge must reach a PostgreSQL server on another machine',
  ],
  [{ WORKERS: 'max' }, 'WORKERS: must be a whole number from 1 to 256'],
  [{ WORKERS: '0' }, 'WORKERS: must be at least 1'],
  [{ KEYS_FILE: 'keys.json\n' }, 'KEYS_FILE: begins or ends with a blank or a line break'],
  [{ KEYS_FILE: '~/keys.json' }, 'KEYS_FILE: begins with ~'],
  [
    { ...PRODUCTION, KEYS_FILE: 'none.json' },
    `KEYS_FILE: ${resolve('none.json')} is missing or cannot be read`,
  ],
  [
    { ...PRODUCTION, KEYS_FILE: '', VAR_DIR: join(folder, 'vra') },
    `VAR_DIR, KEYS_FILE: ${join(folder, 'vra/keys.json')} is missing or cannot be read. Without KEYS_FILE`,
  ],
  [{ ...PRODUCTION, KEYS_FILE: '', VAR_DIR: file }, `VAR_DIR: ${file} is not a folder`],
  [
    { MODERN_AUTH_URL: 'https://auth.example' },
    'MODERN_API_URL, MODERN_CLIENT_ID: must be set too. Of the three settings of the new API give all',
  ],
  [
    { ...PRODUCTION, MODERN_AUTH_URL: '', MODERN_API_URL: '', MODERN_CLIENT_ID: '' },
    'MODERN_AUTH_URL, MODERN_API_URL, MODERN_CLIENT_ID: must be set in production',
  ],
  [
    { ...PRODUCTION, MODERN_API_URL: '', MODERN_CLIENT_ID: '' },
    'MODERN_API_URL, MODERN_CLIENT_ID: must be set in production',
  ],
  [{ ...UPSTREAM, MODERN_AUTH_URL: 'auth.example' }, 'MODERN_AUTH_URL: must be an http or https address'],
  [
    { ...UPSTREAM, MODERN_AUTH_URL: 'https://auth.example/?a=b' },
    'MODERN_AUTH_URL: must be an address without',
  ],
  [
    { ...UPSTREAM, MODERN_API_URL: 'https://a:b@api.example' },
    'MODERN_API_URL: must be an address without user',
  ],
  [{ ...UPSTREAM, MODERN_API_URL: 'http://api.example' }, 'MODERN_API_URL: must be https'],
  [{ ...UPSTREAM, MODERN_CLIENT_ID: 'bridge ' }, 'MODERN_CLIENT_ID: begins or ends with a blank'],
  [{ ...UPSTREAM, MODERN_CLIENT_ID: 'bri\ndge' }, 'MODERN_CLIENT_ID: must be printable ASCII'],
  [{ ...UPSTREAM, MODERN_CLIENT_SECRET: 'word\n' }, 'MODERN_CLIENT_SECRET: begins or ends with a blank'],
  [{ ...UPSTREAM, MODERN_CLIENT_SECRET: 'wörd' }, 'MODERN_CLIENT_SECRET: must be printable ASCII'],
  [{ MODERN_CLIENT_SECRET: 'word' }, 'MODERN_CLIENT_SECRET: needs MODERN_CLIENT_ID'],
  [{ MODERN_SETTINGS_URL: '/settings' }, 'MODERN_SETTINGS_URL: must be an http or https address'],
  [{ MODERN_SCOPES: 'account:read' }, 'MODERN_SCOPES: must contain offline_access'],
  [{ ...COMPANY, STAFF_OIDC_ISSUER: 'login.example' }, 'STAFF_OIDC_ISSUER: must be an http or https address'],
  [{ ...COMPANY, STAFF_OIDC_CLIENT_ID: 'support ' }, 'STAFF_OIDC_CLIENT_ID: begins or ends with a blank'],
  [
    { ...COMPANY, STAFF_OIDC_CLIENT_SECRET: 'word\n' },
    'STAFF_OIDC_CLIENT_SECRET: begins or ends with a blank',
  ],
  [{ ...COMPANY, STAFF_OIDC_ROLES: 'leads' }, 'STAFF_OIDC_ROLES: entry 1 must be VALUE:ROLE'],
  [{ MODERN_SCOPES: 'account:read,offline_access' }, 'MODERN_SCOPES: must be scopes with blanks between'],
  [{ MODERN_ACCESS_TOKEN_SECONDS: '1h' }, 'MODERN_ACCESS_TOKEN_SECONDS: must be a whole number'],
  [{ MODERN_ACCESS_TOKEN_SECONDS: '0' }, 'MODERN_ACCESS_TOKEN_SECONDS: must be at least 1'],
  [{ MODERN_QUOTAS: '100' }, 'MODERN_QUOTAS: must be three whole numbers'],
  [{ IN_DOUBT_QUIET_SECONDS: '5m' }, 'IN_DOUBT_QUIET_SECONDS: must be a whole number from 0 to'],
  [{ ...PRODUCTION, IN_DOUBT_QUIET_SECONDS: '5' }, 'IN_DOUBT_QUIET_SECONDS: must be at least 60'],
  [{ GRANT_KEEPALIVE_DAYS: '5d' }, 'GRANT_KEEPALIVE_DAYS: must be a whole number from 1 to 365'],
  [{ PROFILES_FRESH_SECONDS: '60s' }, 'PROFILES_FRESH_SECONDS: must be a whole number'],
  [
    { PROFILES_FRESH_SECONDS: '120', PROFILES_STALE_SECONDS: '60' },
    'PROFILES_STALE_SECONDS: must not be less than PROFILES_FRESH_SECONDS',
  ],
  [{ APP_REGISTRATION: 'yes' }, 'APP_REGISTRATION: must be open, staff or off'],
  [{ LEGACY_CODE_REPLAY: 'true' }, 'LEGACY_CODE_REPLAY: must be deny or revoke'],
  [
    { LEGACY_RATE_LIMIT: '60/min' },
    'LEGACY_RATE_LIMIT: must be a whole number from 0 to 1000000, without a unit',
  ],
  [{ LEGACY_BACKEND_URL: 'api.old.example' }, 'LEGACY_BACKEND_URL: must be an http or https address'],
  [
    { LEGACY_BACKEND_URL: 'https://api.old.example/1' },
    'LEGACY_BACKEND_URL: must be a scheme, a host and a port',
  ],
  [
    { PUBLIC_URL: 'https://b.example', LEGACY_BACKEND_URL: 'https://b.example' },
    'LEGACY_BACKEND_URL: must not be PUBLIC_URL',
  ],
  [{ LEGACY_SHADOW: 'true' }, 'LEGACY_SHADOW: must be on or off'],
  [{ LEGACY_SHADOW: 'on' }, 'LEGACY_SHADOW: needs LEGACY_BACKEND_URL'],
  [{ LEGACY_DEPRECATED_AT: 'soon' }, 'LEGACY_DEPRECATED_AT: must be a date such as 2027-02-01'],
  [{ LEGACY_RETIREMENT_AT: '1.2.2027' }, 'LEGACY_RETIREMENT_AT: must be a date such as 2027-02-01'],
  [
    { LEGACY_RETIREMENT_AT: '2027-03-01', BRIDGE_SUNSET_AT: '2027-02-01' },
    'BRIDGE_SUNSET_AT: must not be before LEGACY_RETIREMENT_AT',
  ],
  [{ REMINDER_CRON: '* * * *' }, 'REMINDER_CRON: must be a cron expression of five or six fields'],
  [{ REMINDER_DAYS: '5000' }, 'REMINDER_DAYS: must be at most 3650 days each'],
  [{ REMINDER_DAYS: '30d,7d' }, 'REMINDER_DAYS: must be whole numbers of days'],
  [{ TRUST_MODERN_EMAILS: '1' }, 'TRUST_MODERN_EMAILS: must be on or off'],
  [{ SMTP_URL: 'mail.example', MAIL_FROM: 'a@mail.example' }, SMTP_FORM],
  [{ SMTP_URL: 'smtp://user@mail.example', MAIL_FROM: 'a@mail.example' }, SMTP_FORM],
  [{ SMTP_URL: 'smtp://127.0.0.1:25' }, 'MAIL_FROM: must be set for a mail server'],
  [
    { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'Bridge <no-reply@bridge.example>' },
    'MAIL_FROM: must be a mail address alone, such as no-reply@example.org, without a name',
  ],
  [{ TLS_CERT_FILE: 'package.json' }, 'TLS_KEY_FILE: must be set too. A certificate and its key'],
  [{ TLS_CERT_FILE: folder, TLS_KEY_FILE: file }, 'TLS_CERT_FILE: is a folder'],
  [{ TLS_CERT_FILE: file, TLS_KEY_FILE: 'none.pem' }, 'TLS_KEY_FILE: cannot be read'],
  [{ TLS_CERT_FILE: file, TLS_KEY_FILE: '~/key.pem' }, 'TLS_KEY_FILE: begins with ~'],
  [{ TRUST_PROXY: 'proxy.example' }, 'TRUST_PROXY: must be addresses or networks'],
  [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL: must be error, warn, info or debug'],
  [{ DRAIN_SECONDS: '5s' }, 'DRAIN_SECONDS: must be a whole number from 0 to 600'],
  [{ MODERN_CLIENTID: 'x' }, 'MODERN_CLIENTID: is not a setting. Did you mean MODERN_CLIENT_ID?'],
  [{ MODERN_SECRET: 'x' }, 'MODERN_SECRET: is not a setting. Did you mean MODERN_CLIENT_SECRET?'],
  [{ DATABSE_URL: 'x' }, 'DATABSE_URL: is not a setting. Did you mean DATABASE_URL?'],
  [{ TLS_CERTFILE: 'x' }, 'TLS_CERTFILE: is not a setting. Did you mean TLS_CERT_FILE?'],
  [{ TLS_KEY: 'x' }, 'TLS_KEY: is not a setting. Did you mean TLS_KEY_FILE?'],
  [{ public_url: 'x' }, 'public_url: is not a setting. Did you mean PUBLIC_URL?'],
  [{ SMPT_URL: 'x' }, 'SMPT_URL: is not a setting. Did you mean SMTP_URL?'],
  [{ TRUST_PROXIES: 'x' }, 'TRUST_PROXIES: is not a setting. Did you mean TRUST_PROXY?'],
  [{ REMINDER_DAY: 'x' }, 'REMINDER_DAY: is not a setting. Did you mean REMINDER_DAYS?'],
  [{ MAIL_FORM: 'x' }, 'MAIL_FORM: is not a setting. Did you mean MAIL_FROM?'],
];

test.each(WRONG)('%j', (given, words) => {
  expect(complaints(given)).toEqual([expect.stringContaining(words)]);
  expect(complaints(given)[0]).not.toContain('[redacted]');
});

test('the table names every setting that can be wrong by itself', () => {
  const tried = new Set(WRONG.flatMap(([given]) => Object.keys(given)));
  expect(settingNames.filter((name) => !tried.has(name))).toEqual([]);
});

const SECRET = 'Kq7-hush.word_9Zt';

test.each(settingNames)('what stands in %s is not told, whatever it is', (name) => {
  for (const given of [
    SECRET,
    `${SECRET} `,
    `x://user:${SECRET}@`,
    `postgres://user:${SECRET}@h`,
    `a\n${SECRET}`,
  ])
    expect(complaints({ [name]: given }).join('\n')).not.toContain(SECRET);
});

test('nor is what stands in a name that is none', () => {
  expect(complaints({ MODERN_CLIENT_SECERT: SECRET }).join('\n')).not.toContain(SECRET);
});

test.each([
  'PATH',
  'HOME',
  'HOSTNAME',
  'HOSTS',
  'LOGNAME',
  'MAIL',
  'PORTS',
  'TEST_DATABASE_URL',
  'DATABASE_PORT',
  'SMTP_PORT',
  'POSTGRES_URL',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'TLS_CA_FILE',
  'PGHOST',
  'HTTP_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'npm_config_registry',
  'KUBERNETES_PORT',
  'BRIDGE_SERVICE_PORT',
  'LOG_FORMAT',
])('%s is nobody of ours', (name) => {
  expect(complaints({ [name]: 'x' })).toEqual([]);
});

test.each([
  'proxy.example:3128',
  'https://user:hidden@proxy.example',
  'socks5://user:hidden@proxy.example',
  'http://proxy.example:3128/path',
  'http://user:hid/den@proxy.example:3128',
  'http://user:hidden%@proxy.example:3128',
  'http://:hidden@proxy.example',
  'http://proxy.example:0',
  'http:proxy.example:3128',
])('HTTPS_PROXY=%s is no proxy that is served, and is not repeated', (HTTPS_PROXY) => {
  const lines = complaints({ HTTPS_PROXY });
  expect(lines).toEqual([expect.stringMatching(/^HTTPS_PROXY: must be http:\/\/HOST:PORT or /)]);
  expect(lines.join()).not.toMatch(/hid|proxy\.example/);
});

test.each([
  '10.0.0.0/33',
  'https://api.example',
  'api.example/',
  '*api.example',
  'api.example:99999',
  'a;b',
  '.',
])('NO_PROXY=%s names no host', (host) => {
  expect(complaints({ NO_PROXY: `api.example, ${host}` })).toEqual([
    expect.stringMatching(/^NO_PROXY: must be host names, addresses or networks /),
  ]);
});

test.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'inside.example', '10.0.0.0/8;fd00::/8', '*'])(
  'WEBHOOK_ALLOW_NETWORKS=%s names no network',
  (network) => {
    expect(complaints({ WEBHOOK_ALLOW_NETWORKS: `192.168.1.7/32, ${network}` })).toEqual([
      expect.stringMatching(/^WEBHOOK_ALLOW_NETWORKS: must be networks such as /),
    ]);
  },
);

test('an empty text counts as unset in every setting', () => {
  expect(complaints(Object.fromEntries([...settingNames, 'NODE_ENV'].map((name) => [name, ''])))).toEqual([]);
});
