import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { add, printed, run, runJson } from './operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** The operator's commands on tokens and accounts, each as a process of its own. */

const folder = mkdtempSync(join(tmpdir(), 'token-commands-'));
const settings = {
  VAR_DIR: folder,
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
};

const OWNER = 'owner@app.example';
const ACCOUNT = 'a'.repeat(24);

let app: { client_id: string; owner_token: string };
let mappingId: string;

beforeAll(async () => {
  await buildProgram();
  await run(settings, 'migrate');
  app = (await runJson(settings, ...add('Old App', 'https://app.example/callback', OWNER)))
    .json as typeof app;
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

const entries = (action: string) =>
  inDatabase((db) => db.prepare('select actor, mapping_id, reason from events where action = ?').all(action));

/** With a text on standard input. */
async function runWith(input: string, ...args: string[]) {
  const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
  const env = { PATH: process.env['PATH'], ...settings };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  printed.push(output);
  return { code, output };
}

interface Told {
  mapping_id: string;
  state: string;
  account_id: string | null;
}

test('find tells of each token what is known, by the address of its owner', async () => {
  const { code, json } = await runJson(settings, 'tokens', 'find', OWNER.toUpperCase());
  const { tokens, more } = json as { tokens: Told[]; more: boolean };
  expect([code, tokens.length, more]).toEqual([0, 1, false]);
  expect(tokens[0]).toEqual({
    mapping_id: expect.stringMatching(/^[0-9a-f]{24}$/),
    client_id: app.client_id,
    app: 'Old App',
    account_id: null,
    email: null,
    state: 'unmapped',
    standing: 'It is refused now.',
    reason: null,
    source: 'registration',
    hint: `1/${app.owner_token.slice(2, 6)}…${app.owner_token.slice(-4)}`,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    exists_since: expect.stringMatching(/^\d{4}-.*Z$/),
    last_used_at: null,
    last_seen_at: null,
    calls: 0,
    refused: 0,
    carriers: [],
    user_agents: [],
  });
  mappingId = tokens[0]?.mapping_id ?? '';
});

test('find does not say of an imported token that it was created with the import', async () => {
  const imported = { access_token: `1/${'i'.repeat(32)}`, client_id: app.client_id };
  const file = join(folder, 'import.ndjson');
  const row = {
    ...imported,
    account_email: 'bo@example.org',
    created_at: '2015-01-06T00:00:00Z',
    last_used_at: '2021-03-04T05:06:07Z',
  };
  writeFileSync(file, `${JSON.stringify({ type: 'token', ...row })}\n`);
  expect((await run(settings, 'tokens', 'import', file)).code).toBe(0);
  const { output } = await run(settings, 'tokens', 'find', 'bo@example.org');
  expect(output).toMatch(
    /\n {4}exists since at least 2015-01-06T00:00:00.000Z, last used 2021-03-04T05:06:07.000Z\n/,
  );
  expect(output).not.toContain('created');
  const { json } = await runJson(settings, 'tokens', 'find', 'bo@example.org');
  expect((json as { tokens: object[] }).tokens).toMatchObject([
    { source: 'imported', created_at: null, exists_since: expect.stringMatching(/^\d{4}-.*Z$/) as string },
  ]);
});

test('find - reads a whole token from standard input, and is refused one among its arguments', async () => {
  const { code, output } = await runWith(
    `${encodeURIComponent(app.owner_token)}\r\nmore`,
    'tokens',
    'find',
    '-',
  );
  expect([code, output.split('\n').length]).toEqual([0, 8]);
  expect(output).toMatch(new RegExp(`^${mappingId}  unmapped  1/`));
  expect(output).toContain(`app ${app.client_id} Old App\n    account not known\n`);
  expect(output).toContain(
    'last seen at no known time\n    at least 0 calls in 30 days\nNot all of the older calls were counted.\n',
  );
  const refused = await run(settings, 'tokens', 'find', app.owner_token);
  expect(refused).toMatchObject({ code: 1, output: '' });
  expect(refused.complaints).toContain('on standard input instead: grantbridge tokens find -');
  // It was shown once, by the command that made it.
  expect(printed.filter((text) => text.includes(app.owner_token.slice(2)))).toHaveLength(1);
});

test('find ends with 1 where no token was found', async () => {
  const args = ['tokens', 'find', 'nobody@example.org'];
  expect(await run(settings, ...args)).toMatchObject({ code: 1, output: 'No token was found.\n' });
  expect(await runJson(settings, ...args)).toMatchObject({ code: 1, json: { tokens: [] } });
});

test('pin gives what waits under an address to an account, with the reason, and once', async () => {
  const pin = ['accounts', 'pin', OWNER, ACCOUNT, '--reason', 'confirmed by phone'];
  expect(await runJson(settings, ...pin)).toEqual({
    code: 0,
    json: { tokens: 1, apps: 1, ids: 0, hasMoved: false },
  });
  expect(entries('account_pinned')).toContainEqual({
    actor: 'command',
    mapping_id: mappingId,
    reason: 'confirmed by phone',
  });
  const again = await run(settings, ...pin);
  expect(again).toMatchObject({
    code: 0,
    output: 'No token, app or old account id waits under this address.\n',
  });
  const mistyped = await run(settings, ...pin.with(2, 'nobody@example.org'));
  expect(mistyped).toMatchObject({ code: 1, output: again.output });
});

test('pin names every value that is wrong', async () => {
  const { code, complaints } = await run(settings, 'accounts', 'pin', 'owner', 'me', '--reason', ' ');
  expect(code).toBe(1);
  for (const name of ['email:', 'account:', 'reason:']) expect(complaints).toContain(name);
});

const revoke = (id: string) => ['tokens', 'revoke', id, '--reason', 'the laptop was lost'];

test('revoke ends one token for good, with its reason in the history, and says so when it had ended', async () => {
  const { code, output } = await run(settings, ...revoke(mappingId));
  expect([code, output.startsWith('The token is revoked.')]).toEqual([0, true]);
  const told = [{ actor: 'command', mapping_id: mappingId, reason: 'the laptop was lost' }];
  expect(entries('token_revoked')).toEqual(told);
  const json = { mapping_id: mappingId, outcome: 'final', state: 'revoked' };
  expect(await runJson(settings, ...revoke(mappingId))).toEqual({ code: 0, json });
  const unknown = { mapping_id: ACCOUNT, outcome: 'unknown' };
  expect(await runJson(settings, ...revoke(ACCOUNT))).toEqual({ code: 1, json: unknown });
  expect(entries('token_revoked')).toEqual(told);
});

test('assign says to which app a token of an unidentified program belongs, with the reason, once, and takes it back', async () => {
  const [program, token] = ['b'.repeat(24), 'c'.repeat(24)];
  inDatabase((db) => {
    db.prepare(
      `insert into apps (client_id, name, source, created_at) values (?, 'unidentified program: x', 'observed', 1)`,
    ).run(program);
    db.prepare(
      `insert into mappings (id, token_digest, client_id, account_id, state, source, created_at, updated_at)
        values (?, 'k.x', ?, ?, 'active', 'observed', 1, 1)`,
    ).run(token, program, ACCOUNT);
  });
  const assign = ['tokens', 'assign', token, '--app', app.client_id, '--reason', 'its owner said so'];
  const { code, output } = await run(settings, ...assign);
  expect([code, output]).toEqual([
    0,
    'The token belongs to the app now. It has stopped working. Its holder has to connect the app. To make the link: grantbridge links make ' +
      'No other token used its earlier grant, so the earlier grant has ended.\n' +
      'This cannot be taken back: The connection behind it has ended with its last token, and the new API was told so.\n',
  ]);
  expect(entries('token_assigned')).toEqual([
    { actor: 'command', mapping_id: token, reason: 'its owner said so' },
  ]);
  const again = { mapping_id: token, outcome: 'identified', app: app.client_id, is_program: false };
  expect((await runJson(settings, ...assign)).json).toEqual(again);
  const back = { mapping_id: token, outcome: 'assigned', state: 'reauthorization_required', alone: false };
  const json = { ...back, is_program: true };
  expect(await runJson(settings, ...assign.with(4, program))).toEqual({ code: 0, json });
  expect(entries('token_assigned')).toHaveLength(2);
  const stands = await run(settings, ...assign.with(4, program));
  expect(stands.output).toBe(
    'The token belongs to this unidentified program already. Nothing was changed.\n',
  );
  await run(settings, ...assign);
  const taken = await run(settings, ...assign.with(4, program));
  expect(taken.output.split('\n')).toEqual([
    `The assignment is taken back: no app is proven for the token. Its holder can choose the token from the list on /apps/${program}/connect.`,
    expect.stringMatching(/^Until \S+Z this can be taken back: grantbridge history undo \d+ --reason TEXT$/),
    '',
  ]);
  expect(entries('token_assigned')).toHaveLength(4);
});

test.each([
  ['find without a query', ['tokens', 'find']],
  ['revoke without a reason', ['tokens', 'revoke', ACCOUNT]],
  ['assign without an app', ['tokens', 'assign', ACCOUNT, '--reason', 'x']],
  ['pin without a reason', ['accounts', 'pin', OWNER, ACCOUNT]],
])('%s ends with 2 and touches nothing', async (_what, args) => {
  const place = join(folder, 'usage');
  const { code, complaints } = await run({ ...settings, VAR_DIR: place }, ...args);
  expect([code, existsSync(place)]).toEqual([2, false]);
  expect(complaints).not.toBe('');
});
