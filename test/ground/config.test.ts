import { readConfig } from '../../src/config.ts';

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
  ['IN_DOUBT_QUIET_SECONDS: must be at least 60', { NODE_ENV: 'production', IN_DOUBT_QUIET_SECONDS: '59' }],
  ['TLS_CERT_FILE, TLS_KEY_FILE: give both or none', { TLS_CERT_FILE: 'package.json' }],
  ['MODERN_SCOPES: must contain offline_access', { MODERN_SCOPES: 'account:read' }],
  ['TLS_KEY_FILE: cannot be read', { TLS_CERT_FILE: 'package.json', TLS_KEY_FILE: 'no-such-file' }],
  ['PUBLIC_URL: must be https', { PUBLIC_URL: 'http://bridge.example' }],
  ['PUBLIC_URL: must be a scheme, a host and a port', { PUBLIC_URL: 'https://bridge.example/path?x=1' }],
  ['TRUST_PROXY: must be addresses or networks', { TRUST_PROXY: 'foo' }],
  ['not for production', { NODE_ENV: 'production', PUBLIC_URL: 'https://x.example' }],
])('a contradiction is refused: %s', (text, env) => {
  expect(problemsOf(env)).toContain(text);
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
