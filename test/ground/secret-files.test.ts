import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { doubtsAboutSettings, readConfig } from '../../src/config/config.ts';
import { secretFileNames } from '../../src/config/secret-files.ts';
import { complaints, PRODUCTION, UPSTREAM } from './complaints.ts';
import { keysOf, newSigner } from '../leaks/support/signer.ts';

/** Secrets that stand in files (docs/operate/settings.md). */

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secret-files-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function holding(text: string): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return path;
}

test.each(['the-secret', 'the-secret\n', 'the-secret\r\n'])(
  'what a file holds is the setting: %j',
  (text) => {
    const { upstream } = readConfig({ ...UPSTREAM, MODERN_CLIENT_SECRET_FILE: holding(text) });
    expect(upstream).toMatchObject({ clientSecret: 'the-secret' });
  },
);

test('every secret may stand in a file', () => {
  const values: Record<string, string> = {
    DATABASE_URL: `sqlite:${join(folder, 'other.db')}`,
    MODERN_CLIENT_SECRET: 'the-secret',
    STAFF_OIDC_CLIENT_SECRET: 'the-secret-of-the-company',
    SMTP_URL: 'smtps://user:word@mail.example',
    METRICS_TOKEN: 'a-token-of-metrics',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=word',
    HTTPS_PROXY: 'http://user:word@proxy.example:3128',
    LEAK_REPORT_KEYS: keysOf(newSigner('k')),
  };
  expect(secretFileNames).toEqual(Object.keys(values).map((name) => `${name}_FILE`));
  const files = Object.entries(values).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`);
    return [`${name}_FILE`, path];
  });
  const others = {
    ...UPSTREAM,
    STAFF_OIDC_ISSUER: 'https://login.example',
    STAFF_OIDC_CLIENT_ID: 'support',
    STAFF_OIDC_ROLES: 'leads:lead',
    MAIL_FROM: 'no-reply@bridge.example',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example',
  };
  const config = readConfig({ ...others, ...Object.fromEntries(files) });
  expect(config).toEqual(readConfig({ ...others, ...values }));
  expect(config.companySecret).toBe('the-secret-of-the-company');
  expect(config.tracing?.headers).toEqual({ authorization: 'word' });
  expect(config.outboundProxy).toEqual({ url: values['HTTPS_PROXY'], except: [] });
});

test('a secret in a file serves production, and its family is known by it', () => {
  const production = { ...PRODUCTION, MAIL_FROM: 'no-reply@bridge.example' };
  const path = holding('smtps://mail.example');
  for (const given of [{ SMTP_URL_FILE: path }, { SMTP_URL: 'smtps://mail.example' }]) {
    expect(complaints({ ...production, ...given })).toEqual([]);
    expect(doubtsAboutSettings({ ...production, ...given, SMTP_HOST: 'mail.example' })).toEqual([]);
  }
  expect(doubtsAboutSettings({ ...production, SMTP_HOST: 'mail.example' })).toHaveLength(1);
});

test.each<[string, string, string]>([
  ['is empty', '', 'is empty'],
  ['holds a line end alone', '\n', 'is empty'],
  ['has two lines', 'one-secret\ntwo', 'has more than one line'],
  ['is another file', 'x'.repeat(70_000), 'is larger than 64 kB'],
])('a file that %s refuses the start, and nothing of it is told', (_what, text, problem) => {
  const path = holding(text);
  const lines = complaints({ ...UPSTREAM, MODERN_CLIENT_SECRET_FILE: path });
  expect(lines).toEqual([`MODERN_CLIENT_SECRET_FILE: ${path} ${problem}`]);
});

test('a file that is missing, a folder, and a secret that is given twice are refused by their names', () => {
  const missing = join(folder, 'missing');
  expect(complaints({ ...UPSTREAM, METRICS_TOKEN_FILE: missing })).toEqual([
    `METRICS_TOKEN_FILE: ${missing} cannot be read (ENOENT)`,
  ]);
  for (const other of [folder, '/dev/zero'])
    expect(complaints({ ...UPSTREAM, METRICS_TOKEN_FILE: other })).toEqual([
      `METRICS_TOKEN_FILE: ${other} is not a file`,
    ]);
  const both = { METRICS_TOKEN: 'a-token-of-metrics', METRICS_TOKEN_FILE: holding('a-token-of-metrics') };
  expect(complaints({ ...UPSTREAM, ...both })).toEqual([
    'METRICS_TOKEN_FILE: METRICS_TOKEN is set too, set one of the two',
  ]);
});

test('a mark of the byte order is no part of a secret, and what is no text is none', () => {
  const { upstream } = readConfig({
    ...UPSTREAM,
    MODERN_CLIENT_SECRET_FILE: holding('\uFEFFthe-secret\r\n'),
  });
  expect(upstream).toMatchObject({ clientSecret: 'the-secret' });
  const path = join(folder, 'bytes');
  writeFileSync(path, Buffer.from([0x61, 0xff]));
  expect(complaints({ ...UPSTREAM, MODERN_CLIENT_SECRET_FILE: path })).toEqual([
    `MODERN_CLIENT_SECRET_FILE: ${path} is not UTF-8`,
  ]);
});

test('what is missing beside a secret whose file cannot be used is told with it', () => {
  const lines = complaints({ ...UPSTREAM, SMTP_URL_FILE: join(folder, 'missing') });
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('MAIL_FROM: must be set');
});

test.each([
  'postgres://bridge:Hunter2@db.example/bridge',
  's3cr3t-Zk29fjq0d8Lw',
  'secret',
  '/a\nVAR_DIR: b',
  '/a\0b',
])('a secret in the place of its file is not told: %j', (secret) => {
  expect(complaints({ ...UPSTREAM, METRICS_TOKEN_FILE: secret })).toEqual([
    'METRICS_TOKEN_FILE: must be the whole path of a file, and not the secret itself',
  ]);
});

test('what a file holds has to be a setting of its form', () => {
  expect(complaints({ ...UPSTREAM, METRICS_TOKEN_FILE: holding('short') })).toEqual([
    'METRICS_TOKEN: must have at least 16 characters',
  ]);
});

test('a name with a slip is refused with the right one; the file of another program is none', () => {
  expect(complaints({ ...UPSTREAM, MODERN_SECRET_FILE: '/a' })).toEqual([
    'MODERN_SECRET_FILE: is not a setting. Did you mean MODERN_CLIENT_SECRET_FILE?',
  ]);
  for (const slip of ['METRICS_TOKEN_FLIE', 'METRICS_TOKEN_FILES', 'metrics_token_file', 'METRICS_TOKENFILE'])
    expect(complaints({ ...UPSTREAM, [slip]: '/a' })).toEqual([
      `${slip}: is not a setting. Did you mean METRICS_TOKEN_FILE?`,
    ]);
  expect(complaints({ ...UPSTREAM, DATABASE_FILE: '/a', SMTP_FILE: '/b' })).toEqual([]);
});

test('the documents name every such setting', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/operate/settings.md'), 'utf8');
  for (const name of secretFileNames) expect(text).toContain(`\`${name}\``);
});
