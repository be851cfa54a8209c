import { resolve } from 'node:path';
import { readConfig, readKeysPlace } from '../../src/config/config.ts';
import { embeddedOrigin } from '../../src/app/embedded-client.ts';

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test('every wrong value is reported together, each with its name', () => {
  const text = problemsOf({
    PORT: 'x',
    LOG_LEVEL: 'loud',
    LEGACY_CODE_REPLAY: 'maybe',
    DATABASE_URL: 'mysql://x',
    PUBLIC_URL: 'ftp://x',
  });
  for (const name of ['PORT', 'LOG_LEVEL', 'LEGACY_CODE_REPLAY', 'DATABASE_URL', 'PUBLIC_URL'])
    expect(text).toContain(`${name}: `);
});

test('a wrong value hides no contradiction between others', () => {
  const text = problemsOf({ LOG_LEVEL: 'loud', HOST: '0.0.0.0', MODERN_SCOPES: 'posts:read' });
  for (const name of ['LOG_LEVEL', 'HOST', 'MODERN_SCOPES']) expect(text).toContain(`${name}: `);
});

test.each<[string, Record<string, string>]>([
  ['HOST: an address that is not loopback', { HOST: '0.0.0.0' }],
  ['give all of them or none', { MODERN_AUTH_URL: 'https://auth.example' }],
  [
    'MODERN_AUTH_URL: must be https',
    { MODERN_AUTH_URL: 'http://auth.example', MODERN_API_URL: 'https://api.example', MODERN_CLIENT_ID: 'x' },
  ],
  ['MODERN_CLIENT_SECRET: needs MODERN_CLIENT_ID', { MODERN_CLIENT_SECRET: 'x' }],
  [
    'DATABASE_URL: must be sqlite:FILE or postgres:',
    { DATABASE_URL: 'postgres://user:word@db.example:5432' },
  ],
  ['WORKERS: must be at least 1', { WORKERS: '0' }],
  ['METRICS_TOKEN: must have at least 16 characters', { METRICS_TOKEN: 'only-fifteen-15' }],
  ['METRICS_TOKEN: must not contain a blank', { METRICS_TOKEN: 'a token that has blanks' }],
  ['IN_DOUBT_QUIET_SECONDS: must be at least 60', { NODE_ENV: 'production', IN_DOUBT_QUIET_SECONDS: '59' }],
  ['TLS_KEY_FILE: must be set too', { TLS_CERT_FILE: 'package.json' }],
  ['MODERN_SCOPES: must contain offline_access', { MODERN_SCOPES: 'account:read' }],
  ['TLS_KEY_FILE: cannot be read', { TLS_CERT_FILE: 'package.json', TLS_KEY_FILE: 'no-such-file' }],
  ['PUBLIC_URL: must be https', { PUBLIC_URL: 'http://bridge.example' }],
  ['PUBLIC_URL: must be a scheme, a host and a port', { PUBLIC_URL: 'https://bridge.example/path?x=1' }],
  ['TRUST_PROXY: must be addresses or networks', { TRUST_PROXY: 'foo' }],
  ['LEGACY_RETIREMENT_AT: must be a date such as 2027-02-01', { LEGACY_RETIREMENT_AT: '1 February 2027' }],
  ['LEGACY_DEPRECATED_AT: must be a date such as 2027-02-01', { LEGACY_DEPRECATED_AT: '2027-02-30' }],
  ['BRIDGE_SUNSET_AT: must be a date such as 2027-02-01', { BRIDGE_SUNSET_AT: '2027-02-01T09:00:00' }],
  [
    'BRIDGE_SUNSET_AT: must not be before LEGACY_DEPRECATED_AT',
    { LEGACY_DEPRECATED_AT: '2027-02-02', BRIDGE_SUNSET_AT: '2027-02-01' },
  ],
  ['REMINDER_CRON: must be a cron expression', { REMINDER_CRON: 'every morning' }],
  ['REMINDER_DAYS: must be whole numbers of days', { REMINDER_DAYS: '30,-1' }],
  [
    'The embedded new API is only for development and tests',
    { NODE_ENV: 'production', PUBLIC_URL: 'https://x.example' },
  ],
  [
    'DATABASE_URL: the options must not switch synchronous_commit off',
    { DATABASE_URL: 'postgres://user@db.example/name?options=-c%20synchronous_commit%3Doff' },
  ],
  ...[
    '0.0.0.0/0',
    '0.0.0.0/1,128.0.0.0/1',
    '128.0.0.0/2 192.0.0.0/2 0.0.0.0/1',
    '11.0.0.0/8,12.0.0.0/8',
    '8.0.0.0/7',
    '::/0',
    '::/1,8000::/1',
    '2000::/3',
    'fc00::/6',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/97,::ffff:128.0.0.0/97',
    '10.0.0.1, ::/1',
  ].map((ranges): [string, Record<string, string>] => [
    'TRUST_PROXY: names too many addresses. One network, or adjacent networks together',
    { TRUST_PROXY: ranges },
  ]),
  ...[
    'postgres://user@db.example/name',
    'postgres://user@10.0.0.5:5432/name',
    'postgresql://user@[2001:db8::5]/name',
    'postgres://user@localhost/name?host=db.example',
    'postgres://user@db.example/name?ssl=0',
    'postgres://user@localhost.example/name',
  ].map((address): [string, Record<string, string>] => [
    'DATABASE_URL: the bridge must reach a PostgreSQL server on another machine over TLS: add sslmode=verify-full',
    { DATABASE_URL: address },
  ]),
  ...[
    ['sslmode=prefer', 'sslmode=prefer leaves the choice to the server; use verify-full'],
    ['sslmode=allow', 'sslmode=allow leaves the choice to the server; use verify-full'],
    ['sslmode=require&sslmode=prefer', 'sslmode=prefer leaves the choice to the server'],
    ['sslmode=nonsense', 'sslmode=nonsense is not known; use verify-full'],
    ['sslmode=p%4055-word', 'this sslmode is not known; use verify-full'],
  ].map(([query, text]): [string, Record<string, string>] => [
    `DATABASE_URL: ${text}`,
    { DATABASE_URL: `postgres://user@db.example/name?${query}` },
  ]),
])('a contradiction is refused: %s', (text, env) => {
  expect(problemsOf(env)).toContain(text);
});

test.each([
  '10.0.0.0/8, loopback, linklocal, uniquelocal',
  '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7,fe80::/10,::1',
  '104.16.0.0/13 104.24.0.0/14 2400:cb00::/32 ::ffff:10.0.0.1 fe80::1%eth0',
  '10.0.0.0/9,10.128.0.0/9',
])('proxies of an own network may be trusted: %s', (ranges) => {
  expect(problemsOf({ TRUST_PROXY: ranges })).toBe('');
});

test.each([
  'postgres://user@db.example/name?sslmode=require',
  'postgres://user@db.example/name?sslmode=verify-ca&sslrootcert=/etc/ca.pem&uselibpqcompat=true',
  'postgres://user@db.example/name?sslmode=verify-full',
  'postgres://user@db.example/name?sslmode=no-verify',
  'postgres://user@db.example/name?sslmode=disable',
  'postgres://user@127.0.0.1/name',
  'postgres://user@localhost:5432/name',
  'postgres://user@[::1]/name',
  'postgres:///name',
  'postgres://user@db.example/name?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun%2Fpostgresql/name',
])('a PostgreSQL server on this machine, or one of which TLS is said, is taken: %s', (address) => {
  expect(problemsOf({ DATABASE_URL: address })).toBe('');
});

test.each([
  '0 9 29 2 *',
  '*/60 * * * *',
  '0 */24 * * *',
  '*/10 * * * * *',
  '0 9 * * 1-5',
  '@daily',
  '0 9 L * *',
])('reminders may be planned at %s', (REMINDER_CRON) => {
  expect(problemsOf({ REMINDER_CRON })).toBe('');
});

test.each(['localhost', 'bridge-1.example', '127.0.0.1', '::1'])('the bridge may listen at %s', (HOST) => {
  expect(problemsOf({ HOST })).not.toContain('is no address');
});

/** Everything that a start in production needs; the files only have to be there. */
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://bridge.example',
  MODERN_AUTH_URL: 'https://auth.example',
  MODERN_API_URL: 'https://api.example',
  MODERN_CLIENT_ID: 'bridge',
  TLS_CERT_FILE: 'package.json',
  TLS_KEY_FILE: 'package.json',
  KEYS_FILE: 'package.json',
};

const { TLS_CERT_FILE: _cert, TLS_KEY_FILE: _key, ...WITHOUT_TLS } = PRODUCTION;
const { PUBLIC_URL: _address, ...WITHOUT_ADDRESS } = PRODUCTION;

test.each([
  ['TLS by the bridge itself', PRODUCTION],
  ['a named proxy', { ...WITHOUT_TLS, TRUST_PROXY: '10.0.0.0/8, loopback' }],
  ['PostgreSQL', { ...PRODUCTION, DATABASE_URL: 'postgres://user@db.example/name?sslmode=require' }],
])('production is served with %s', (_name, env) => {
  expect(problemsOf(env)).toBe('');
  expect(readConfig(env).production).toBe(true);
});

test.each<[string, Record<string, string>]>([
  ['TLS_CERT_FILE, TRUST_PROXY: production needs TLS', WITHOUT_TLS],
  ['TRUST_PROXY: must be addresses or networks', { ...WITHOUT_TLS, TRUST_PROXY: ' , ' }],
  ['TRUST_PROXY: names too many addresses', { ...WITHOUT_TLS, TRUST_PROXY: '10.0.0.1 ::/0' }],
  ['PUBLIC_URL: must be set in production', WITHOUT_ADDRESS],
  ['PUBLIC_URL: must not be a loopback address', { ...PRODUCTION, PUBLIC_URL: 'https://localhost:3000' }],
  ['PUBLIC_URL: must not be a loopback address', { ...PRODUCTION, PUBLIC_URL: 'https://127.0.0.1:3000' }],
  ['PUBLIC_URL: must not be a loopback address', { ...PRODUCTION, PUBLIC_URL: 'https://[::1]' }],
  ...['x.localhost', 'localhost.', '0.0.0.0', '[::]', '[::ffff:7f00:1]'].map(
    (host): [string, Record<string, string>] => [
      'PUBLIC_URL: must not be a loopback address',
      { ...PRODUCTION, PUBLIC_URL: `https://${host}` },
    ],
  ),
  ['PUBLIC_URL: must be https', { ...PRODUCTION, PUBLIC_URL: 'http://localhost:3000' }],
  ['PUBLIC_URL: must be https', { ...PRODUCTION, PUBLIC_URL: 'http://bridge.example' }],
  [`KEYS_FILE: ${resolve('no-such-file')} is missing`, { ...PRODUCTION, KEYS_FILE: 'no-such-file' }],
  [
    `VAR_DIR, KEYS_FILE: ${resolve('no-such-folder/keys.json')} is missing`,
    { ...PRODUCTION, KEYS_FILE: '', VAR_DIR: 'no-such-folder' },
  ],
])('production refuses to start, and says: %s', (text, env) => {
  expect(problemsOf(env)).toContain(`  ${text}`);
});

test('everything that is unsafe in production is said at once', () => {
  const text = problemsOf({
    NODE_ENV: 'production',
    PUBLIC_URL: 'http://localhost:3000',
    KEYS_FILE: 'no-such-file',
    IN_DOUBT_QUIET_SECONDS: '1',
    DATABASE_URL:
      'postgres://user:word-of-the-database@db.example/name?options=-csynchronous_commit%3Doff&sslmode=disable',
  });
  const lines = text.split('\n').slice(1);
  expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
    'DATABASE_URL',
    'MODERN_AUTH_URL, MODERN_API_URL, MODERN_CLIENT_ID',
    'IN_DOUBT_QUIET_SECONDS',
    'PUBLIC_URL',
    'PUBLIC_URL',
    'TLS_CERT_FILE, TRUST_PROXY',
    'KEYS_FILE',
  ]);
  expect(text).not.toContain('word-of-the-database');
});

test.each([
  ['-c synchronous_commit=off', true],
  ['-csynchronous_commit=OFF', true],
  ['--synchronous-commit=0', true],
  ['-c statement_timeout=5 -c Synchronous_Commit=no', true],
  ['-c synchronous\\_commit=false', true],
  ['-c synchronous_commit=on -c synchronous_commit=off', true],
  ['-c synchronous_commit=on', false],
  ['-c synchronous_commit=remote_apply', false],
  ['-c search_path=bridge', false],
])('the options %s of a database address are refused: %s', (options, isRefused) => {
  const query = new URLSearchParams({ sslmode: 'require', options }).toString();
  const address = `postgres://user@db.example/name?${query}`;
  expect(problemsOf({ DATABASE_URL: address }) !== '').toBe(isRefused);
});

test('an empty text counts as unset, and the answer cannot be changed', () => {
  const config = readConfig({ PORT: '', HOST: '', PUBLIC_URL: '' });
  expect(config).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    rateLimitPerMinute: 60,
  });
  expect(Object.isFrozen(config)).toBe(true);
});

test('dates may be days or moments, reminders come on each day once, the first one first', () => {
  const { dates, reminderDays } = readConfig({
    LEGACY_DEPRECATED_AT: '2027-02-01',
    LEGACY_RETIREMENT_AT: '2027-02-01T09:00:00+02:00',
    REMINDER_DAYS: ' 0, 7,30 ,7',
  });
  expect(dates).toEqual({
    deprecation: Date.parse('2027-02-01T00:00:00Z'),
    retirement: Date.parse('2027-02-01T07:00:00Z'),
    sunset: undefined,
  });
  expect(reminderDays).toEqual([30, 7, 0]);
  const unset = readConfig({});
  expect(unset.dates).toEqual({ deprecation: undefined, retirement: undefined, sunset: undefined });
  expect(unset.reminderDays).toEqual([180, 90, 60, 30, 14, 7, 3, 1, 0]);
  expect(unset.reminderCron).toBe('*/15 * * * *');
});

test.each([
  ['http://localhost:3000', 'http://localhost:3001'],
  ['https://localhost:3000', 'http://localhost:3001'],
])(
  'the embedded modern generation of a bridge at %s is at %s, for it speaks plain HTTP',
  (PUBLIC_URL, origin) => {
    expect(embeddedOrigin(readConfig({ PUBLIC_URL }))).toBe(origin);
  },
);

test('where the keys belong is known before the other settings are complete; a slip in its own name is not passed over', () => {
  const production = { NODE_ENV: 'production', PORT: 'x', VAR_DIR: '/srv/bridge' };
  expect(readKeysPlace(production)).toEqual({
    keysFile: '/srv/bridge/keys.json',
    database: { kind: 'sqlite', file: '/srv/bridge/bridge.db' },
  });
  expect(readKeysPlace({ ...production, KEYS_FILE: 'keys.json' }).keysFile).toBe(resolve('keys.json'));
  expect(() => readKeysPlace({ ...production, KEY_FILE: '/srv/keys.json' })).toThrow('KEY_FILE');
  expect(() => readKeysPlace({ ...production, DATABASE_URL: 'postgres://user@db.example/name' })).toThrow(
    /:\n {2}DATABASE_URL: .*TLS.*$/,
  );
});

test('production without a key file names the command that makes one', () => {
  expect(problemsOf({ ...PRODUCTION, KEYS_FILE: 'no-such-file' })).toContain('grantbridge keys init');
});
