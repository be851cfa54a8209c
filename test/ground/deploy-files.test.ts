import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { environment, settingNames } from '../../src/config/environment.ts';
import { secretFileNames } from '../../src/config/secret-files.ts';
import { projectRoot } from '../../src/shared/project-root.ts';

/** The files below `deploy` speak of settings that exist. */

const readDeploy = (name: string) => readFileSync(join(projectRoot, 'deploy', name), 'utf8');

const KNOWN = ['NODE_ENV', ...settingNames, ...secretFileNames];

interface Line {
  name: string;
  value: string;
  isKept: boolean;
}

/** Each line with a setting, whether it keeps the default or not. */
const lines: Line[] = [...readDeploy('.env.example').matchAll(/^(#?)([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(
  ([, mark, name = '', value = '']) => ({ name, value, isKept: mark === '#' }),
);

test('.env.example has a line for every setting and for every file with a secret, and no other', () => {
  expect(lines.map(({ name }) => name).toSorted()).toEqual(KNOWN.toSorted());
});

/** Their defaults differ in production. */
const IN_PRODUCTION = { DRAIN_SECONDS: '5', OVERLOAD_WAIT_MS: '200', APP_REGISTRATION: 'staff' };

test.each(lines.filter(({ value, isKept }) => isKept && value !== ''))(
  'the default of $name stands there as it is',
  ({ name, value }) => {
    if (name in IN_PRODUCTION) return expect(IN_PRODUCTION).toMatchObject({ [name]: value });
    const setting = environment.shape[name as keyof typeof environment.shape];
    // Unset, the quotas of the embedded new API are those of its own table.
    const unset = name === 'MODERN_QUOTAS' ? [10_000, 250_000, 3_000_000] : setting.parse(undefined);
    return expect(setting.parse(value)).toEqual(unset);
  },
);

test('what .env.example sets is a production that starts, once it has its secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  const keysFile = join(folder, 'keys.json');
  writeFileSync(keysFile, '{}', { mode: 0o600 });
  const set = Object.fromEntries(
    lines.filter(({ isKept }) => !isKept).map(({ name, value }) => [name, value]),
  );
  const own = {
    VAR_DIR: folder,
    KEYS_FILE: keysFile,
    TRUST_PROXY: '172.31.240.10',
    SMTP_URL: 'smtps://mail.example',
  };
  const config = readConfig({ ...set, ...own, MODERN_CLIENT_SECRET: 'secret' });
  rmSync(folder, { recursive: true });
  expect(config).toMatchObject({ production: true, serviceName: 'grantbridge', sendsReminders: true });
});

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('the other files set no name that is no setting', () => {
  const set = [
    ...named(
      (readDeploy('compose.yaml').split('services:')[0] ?? '').replace(/args: .*/, ''),
      /^ +([A-Z_]+): /gm,
    ),
    ...named(readDeploy('Dockerfile').replaceAll('BUILD_COMMIT=', ''), /(?:ENV | )([A-Z_]+)=/g),
    ...named(readDeploy('grantbridge.service'), /(?:^Environment=| )([A-Z_]+)=/gm),
  ];
  expect(set).toEqual(expect.arrayContaining(['KEYS_FILE', 'HOST', 'VAR_DIR']));
  expect(set.filter((name) => !KNOWN.includes(name))).toEqual([]);
});

test('the balancer is the one proxy that the bridges believe', () => {
  const compose = readDeploy('compose.yaml');
  expect(named(compose, /TRUST_PROXY: (\S+)/g)).toEqual(['172.31.240.10']);
  expect(named(compose, /ipv4_address: ([\d.]+)/g)).toEqual(['172.31.240.10']);
});
