import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, runJson } from '../processes/commands/operator-command.ts';
import { buildProgram } from '../processes/running-program.ts';
import { until } from '../support/servers/held-answer.ts';
import { accountRow, appRow, tokenOf, tokenRow } from './support/generate.ts';

/** `tokens import` as a process of its own. */

const folder = mkdtempSync(join(tmpdir(), 'import-'));
const settings = { VAR_DIR: join(folder, 'var'), PUBLIC_URL: 'http://localhost:3000' };
const file = join(folder, 'tokens.ndjson');
const rows = [
  tokenRow(1, 1),
  tokenRow(2, 1),
  { ...tokenRow(3, 1), client_id: 'f'.repeat(24) },
  appRow(0),
  accountRow(0),
];

beforeAll(async () => {
  await buildProgram();
  expect((await run(settings, 'migrate')).code).toBe(0);
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('a dry run says in words what would happen, and leaves nothing; a folder is named and fails', async () => {
  // What a dry run leaves that was killed, under a number that no process has.
  const old = join(folder, 'var', 'imports', 'dry-run.99999999.draft');
  mkdirSync(old, { recursive: true, mode: 0o700 });
  writeFileSync(join(old, 'scratch.db'), '');
  const { code, output, complaints } = await run(settings, 'tokens', 'import', file, '--dry-run');
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  const [said, reason, where = ''] = output.split('\n');
  expect(said).toBe(
    'This was a dry run. Nothing was changed. The import would give: 4 new, 0 known, 0 changed, 1 refused.',
  );
  expect(reason).toBe('    1 refused: client_id: unknown app (line 3)');
  const report = where.replace('Each refused line with its field and reason: ', '');
  expect(readFileSync(report, 'utf8')).toBe(
    `{"line":3,"reason":"unknown app","field":"client_id","client_id":"${'f'.repeat(24)}"}\n`,
  );
  expect(readdirSync(join(folder, 'var', 'imports'))).toHaveLength(1);
  const failed = await run(settings, 'tokens', 'import', folder);
  expect(failed).toEqual({ code: 1, output: '', complaints: `${folder} is a folder\n` });
});

test('--max-refused ends with 1 and changes nothing above it, also in a dry run', async () => {
  const place = { ...settings, VAR_DIR: join(folder, 'limited') };
  expect((await run(place, 'migrate')).code).toBe(0);
  const attempts = [
    [file, '--max-refused', '0'],
    [file, '--max-refused', '0', '--dry-run'],
  ];
  for (const words of attempts) {
    const { code, output } = await run(place, 'tokens', 'import', ...words, '--json');
    expect([words, code]).toEqual([words, 1]);
    expect(JSON.parse(output)).toMatchObject({ written: false, new: 4, refused: 1 });
  }
  const within = await runJson(place, 'tokens', 'import', file, '--max-refused', '1');
  expect(within).toMatchObject({ code: 0, json: { written: true, new: 4, refused: 1 } });
  for (const wrong of ['-1', '1%', 'x', '']) {
    const { code, output } = await run(place, 'tokens', 'import', file, '--max-refused', wrong);
    expect([wrong, code, output]).toEqual([wrong, 2, '']);
  }
});

test('from standard input, with one JSON object at the end, and no token in any file', async () => {
  const program = resolve(import.meta.dirname, '../../dist/program/cli.js');
  const varDir = join(folder, 'piped');
  expect((await run({ ...settings, VAR_DIR: varDir }, 'migrate')).code).toBe(0);
  const child = spawn(process.execPath, [program, 'tokens', 'import', '-', '--max-refused', '1', '--json'], {
    env: { PATH: process.env['PATH'], ...settings, VAR_DIR: varDir },
    stdio: 'pipe',
  });
  let [output, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // One that takes longer than a few seconds says how far it is, whoever reads the object at its end.
  await until(() => existsSync(join(varDir, 'imports')), 30_000);
  await delay(3100);
  child.stdin.end(readFileSync(file));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(complaints).toMatch(
    /^16 %  a trial, nothing is changed: .*refused(, \d+ a second, about .* left)?\n/,
  );
  expect(JSON.parse(output)).toEqual({
    isTooMany: false,
    unknownFields: [],
    hiddenFields: 0,
    unendedLine: null,
    weakTokens: { count: 0, lines: [] },
    isShownLater: false,
    new: 4,
    known: 0,
    changed: 0,
    refused: 1,
    written: true,
    refusals: [{ field: 'client_id', reason: 'unknown app', count: 1, lines: [3] }],
    report: expect.stringMatching(/\/imports\/import-\d{8}-\d{6}-[0-9a-f]{4}\.report\.ndjson$/),
  });
  for (const entry of readdirSync(varDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = readFileSync(join(entry.parentPath, entry.name));
    expect(content.includes(tokenOf(1).slice(2))).toBe(false);
  }
});

test.each<[what: string, options: string[], said: RegExp]>([
  ['an import', [], /^Interrupted\. Rows that were imported before stay\..*imports the others\.\n$/],
  ['a dry run', ['--dry-run'], /^Interrupted\. Nothing was changed\.\n$/],
  ['the trial before an import', ['--max-refused', '0'], /^Interrupted\. Nothing was changed\.\n$/],
])(
  '%s that is interrupted says what became of its rows, and ends by the signal',
  async (what, options, said) => {
    const program = resolve(import.meta.dirname, '../../dist/program/cli.js');
    const place = { ...settings, VAR_DIR: join(folder, `interrupted-${what.replaceAll(' ', '-')}`) };
    expect((await run(place, 'migrate')).code).toBe(0);
    const child = spawn(process.execPath, [program, 'tokens', 'import', '-', ...options], {
      env: { PATH: process.env['PATH'], ...place },
      stdio: 'pipe',
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    await until(() => existsSync(join(place.VAR_DIR, 'imports')), 30_000);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
    expect(complaints).toMatch(said);
  },
);
