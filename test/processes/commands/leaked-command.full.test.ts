import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { newLegacyToken } from '../../../src/shared/ids.ts';
import { buildProgram } from '../running-program.ts';
import { add, run, runJson } from './operator-command.ts';

/** `tokens leaked`, as a process of its own: what it does, prints and ends with. */

const folder = mkdtempSync(join(tmpdir(), 'leaked-command-'));
const settings = {
  VAR_DIR: folder,
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
};

/** An app with the token of its owner, which waits. */
async function newToken(name: string): Promise<string> {
  const added = await runJson(settings, ...add(name, 'https://app.example/callback', 'owner@app.example'));
  return (added.json as { owner_token: string }).owner_token;
}

let tokens: string[];

beforeAll(async () => {
  await buildProgram();
  await run(settings, 'migrate');
  tokens = [await newToken('One'), await newToken('Two'), await newToken('Three')];
});
afterAll(() => rmSync(folder, { recursive: true }));

function inDatabase<T>(work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(join(folder, 'bridge.db'), { fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const states = () =>
  inDatabase((db) => db.prepare('select state, count(*) as tokens from mappings group by state').all());

async function leaked(input: string | Buffer, ...args: string[]) {
  const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn(process.execPath, [program, 'tokens', 'leaked', ...args], { env, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  for (const token of tokens) expect(output).not.toContain(token.slice(2));
  return { code, output };
}

test('a list on standard input: known tokens are revoked, the others are counted, and no token is printed', async () => {
  const [one = ''] = tokens;
  const list = `\uFEFF${one}\r\n\n  ${newLegacyToken()}  \n${'x'.repeat(10_000)}\n${one}`;
  const { code, output } = await leaked(list, '-', '--found', `a log with ${one}`);
  expect(code).toBe(0);
  expect(output).toMatch(
    /^4 lines: 1 token known, 1 line unknown, 1 too long\n[0-9a-f]{24} {2}revoked at \S+Z\n$/,
  );
  expect(states()).toEqual([
    { state: 'revoked', tokens: 1 },
    { state: 'unmapped', tokens: 2 },
  ]);
  const told = inDatabase((db) =>
    db.prepare("select actor, action, reason from events where action like 'token_%' order by id").all(),
  );
  expect(told.slice(-2)).toEqual([
    { actor: 'command', action: 'token_leaked', reason: 'a log with [redacted]' },
    { actor: 'command', action: 'token_revoked', reason: 'leaked' },
  ]);
});

test('a file with a grace: the tokens go on, and the end is printed for programs too', async () => {
  const file = join(folder, 'found.txt');
  writeFileSync(file, `${tokens[1]}\n${encodeURIComponent(tokens[2] ?? '')}\n`);
  const { code, output } = await leaked('', file, '--grace', '24', '--json');
  expect(code).toBe(0);
  const known = {
    mapping_id: expect.stringMatching(/^[0-9a-f]{24}$/),
    had_ended: false,
    ended_at: null,
    ends_at: expect.stringMatching(/Z$/),
  };
  expect(JSON.parse(output)).toEqual({ lines: 2, known: [known, known], unknown: 0, too_long: 0 });
  expect(states()).toContainEqual({ state: 'unmapped', tokens: 2 });
  expect((await leaked('', file, '--grace', '0')).code).toBe(0);
  expect(states()).toEqual([{ state: 'revoked', tokens: 3 }]);
  const again = await leaked('', file);
  expect([again.code, again.output.split('had ended before').length - 1]).toEqual([0, 2]);
});

test('without a known token it ends with 1, and with a wrong option or file with words', async () => {
  expect(await leaked(`${newLegacyToken()}\n`, '-')).toEqual({
    code: 1,
    output: '1 line: 0 tokens known, 1 line unknown\n',
  });
  expect(await leaked('', '-')).toMatchObject({ code: 1 });
  expect((await leaked('', '-', '--grace', '1000')).code).toBe(2);
  const missing = join(folder, 'nowhere.txt');
  expect(await leaked('', missing)).toEqual({ code: 1, output: `${missing} does not exist\n` });
  expect(await leaked('', folder)).toEqual({ code: 1, output: `${folder} is a folder\n` });
});

test.each([
  [
    'in UTF-16 with a mark',
    (list: string) => Buffer.from(`\uFEFF${list}`, 'utf16le'),
    'is UTF-16; save it as UTF-8 first',
  ],
  [
    'in UTF-16 without a mark',
    (list: string) => Buffer.from(list, 'utf16le'),
    'is no text in UTF-8; save it as UTF-8 first',
  ],
  ['that is packed', gzipSync, 'is packed with gzip; unpack it first'],
])('a list %s is refused with the reason', async (_what, encode, problem) => {
  const list = encode(`${tokens[0]}\n${tokens[1]}\n`);
  expect(await leaked(list, '-')).toEqual({ code: 1, output: `standard input ${problem}\n` });
  const file = join(folder, 'encoded.txt');
  writeFileSync(file, list);
  expect(await leaked('', file)).toEqual({ code: 1, output: `${file} ${problem}\n` });
});
