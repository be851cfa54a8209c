import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readConfig } from '../../src/config/config.ts';
import { environment, settingNames } from '../../src/config/environment.ts';
import { secretFileNames } from '../../src/config/secret-files.ts';
import { projectRoot } from '../../src/shared/project-root.ts';
import { readDocument } from '../support/guidance.ts';

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

test('Node reads .env.example as it stands', () => {
  const set = lines.filter(({ isKept }) => !isKept).map(({ name, value }) => [name, value]);
  expect(parseEnv(readDeploy('.env.example'))).toEqual(Object.fromEntries(set));
});

/** The settings of the drill, as a file: empty where the document unsets a name. */
function drillSettings(): Record<string, string> {
  const [, block = ''] = /## A drill[^]*?```\n([^]*?)```/.exec(readDocument('docs/operate/backup.md')) ?? [];
  const code = block.replaceAll(/ +#.*/g, '');
  const unset = [...code.matchAll(/^unset (.*)$/gm)].flatMap(([, names = '']) => names.split(' '));
  const exported = [...code.matchAll(/^export (.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  return parseEnv([...unset.map((name) => `${name}=`), ...exported].join('\n')) as Record<string, string>;
}

test('the settings of a drill leave no address of production, also from a file behind that of production', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drill-'));
  writeFileSync(join(folder, 'keys.json'), '{}', { mode: 0o600 });
  const production = {
    ...parseEnv(readDeploy('.env.example')),
    TRUST_PROXY: '172.31.240.10',
    // Without an old API this is refused.
    LEGACY_SHADOW: 'on',
    // The machine of the drill may lack these files.
    DATABASE_URL_FILE: '/nowhere/database_url',
    SMTP_URL_FILE: '/nowhere/smtp_url',
    MODERN_CLIENT_SECRET_FILE: '/nowhere/modern_client_secret',
  };
  const drill = Object.entries(drillSettings()).map(([name, value]) => [
    name,
    value.replace('/srv/drill', folder),
  ]);
  const config = readConfig({ ...production, ...(Object.fromEntries(drill) as Record<string, string>) });
  rmSync(folder, { recursive: true });
  expect(JSON.stringify(config)).not.toMatch(/(?:old-api|new-api)\.example(?!\/settings)/);
  expect(config).toMatchObject({ production: true, sendsReminders: false });
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

test('the shell function of deploy.md runs another version, and reads a file of its own after that of production', () => {
  const [run = ''] = /^run\(\) \{[^]*?\n? .*"\$@"; \}$/m.exec(readDocument('docs/operate/deploy.md')) ?? [];
  const told = (before: string) =>
    execFileSync('bash', ['-c', `systemd-run() { printf '%s\\n' "$@"; }\n${run}\n${before} run keys list`], {
      encoding: 'utf8',
    }).trimEnd();
  const file = '--property=EnvironmentFile=';
  const cli = 'dist/program/cli.js\nkeys\nlist';
  expect(told('')).toMatch(
    new RegExp(`${file}/etc/grantbridge/env\n/usr/bin/node\n/opt/grantbridge/${cli}$`),
  );
  expect(told('MORE=/srv/drill/env FOLDER=/opt/new')).toMatch(
    new RegExp(`${file}/etc/grantbridge/env\n${file}/srv/drill/env\n/usr/bin/node\n/opt/new/${cli}$`),
  );
});

test('where systemd runs a command, deploy.md says how to end it', () => {
  const text = readDocument('docs/operate/deploy.md');
  const [run = ''] = /^run\(\) \{.*/m.exec(text) ?? [];
  // With a terminal of its own (--pty) the command would hear Ctrl-C itself; --quiet would hide the name.
  expect(run).toContain('systemd-run --pipe --wait');
  expect(run).not.toMatch(/--pty|--quiet/);
  expect(text).toMatch(/^- Ctrl-C [^]*?`systemctl stop run-….service`/m);
});
