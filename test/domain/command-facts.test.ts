import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAppSecret } from '../../src/cli/commands/apps/app-secrets.ts';
import { addApp, listAppsCommand } from '../../src/cli/commands/apps/apps.ts';
import { cutOver } from '../../src/cli/commands/apps/cut-over.ts';
import { shadowCommand } from '../../src/cli/commands/apps/shadow.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { showDates } from '../../src/cli/commands/dates/dates.ts';
import { verifyHistoryCommand } from '../../src/cli/commands/history.ts';
import { drop, listAllKeys } from '../../src/cli/commands/keys.ts';
import { markTakeOver } from '../../src/domain/history/anchor-history.ts';
import type { Result } from '../../src/cli/commands/result.ts';
import { assign, findTokenCommand } from '../../src/cli/commands/tokens/token-actions.ts';
import { importTokens } from '../../src/cli/commands/tokens/tokens.ts';
import { withContext } from '../../src/cli/commands/with-context.ts';
import { commandSettings } from './support/command-settings.ts';

/** What a command tells people, it tells programs too: `--json` has every fact of the text. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'command-facts-'));
const app = { name: 'App', callback: ['https://app.example/callback'], owner: 'ann@example.org' };
let clientId: string;

beforeAll(async () => {
  process.env = commandSettings(varDir);
  await migrateDatabase({});
  clientId = String((await addApp(app)).json['client_id']);
});
afterAll(() => {
  process.env = before;
  rmSync(varDir, { recursive: true, force: true });
});

/** Ids, times and paths, which no text makes up. */
const FACT = /\b[0-9a-f]{24}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<= )\/\S+\w/g;

function expectAllIn({ lines, json }: Result): void {
  const told = JSON.stringify(json);
  expect((lines.join('\n').match(FACT) ?? []).filter((fact) => !told.includes(fact))).toEqual([]);
}

test('every id, time and path of the text', async () => {
  expectAllIn(await addAppSecret({}, [clientId]));
  expectAllIn(await migrateDatabase({ status: true }));
  expectAllIn(await listAppsCommand());
  expectAllIn(await listAllKeys());
  expectAllIn(await verifyHistoryCommand({}));
});

/** Any moment of this century in milliseconds. */
const BARE_MOMENT = /[:[,]\d{12,13}\b/;

test.each([
  ['keys list', () => listAllKeys()],
  ['apps list', () => listAppsCommand()],
  ['dates show', () => showDates()],
  ['tokens find', () => findTokenCommand({}, [app.owner])],
  ['history verify', () => verifyHistoryCommand({})],
])('%s writes a moment as all commands do', async (_name, command) => {
  expect(JSON.stringify((await command()).json)).not.toMatch(BARE_MOMENT);
});

test('when a key came into its state', async () => {
  const { keys } = (await listAllKeys()).json as { keys: Array<{ changedAt: string }> };
  for (const { changedAt } of keys) expect(new Date(changedAt).toISOString()).toBe(changedAt);
});

const lastOf = async (options: { anchor?: string[] }) => {
  const { ok, lines, json } = await verifyHistoryCommand(options);
  return { ok, told: lines.at(-1), isLeftOut: json['anchorsLeftOut'] };
};

describe('that the anchors of VAR_DIR were left out of a history', () => {
  const memory = join(varDir, 'epoch.json');
  const anchor = join(varDir, 'captured.ndjson');

  afterAll(() => rmSync(memory));

  test('not where VAR_DIR belongs to this database', async () => {
    const { told, ...rest } = await lastOf({});
    expect(rest).toEqual({ ok: true, isLeftOut: false });
    expect(told).not.toContain('left out');
  });

  test('where VAR_DIR belongs to another one, and what is left to check against', async () => {
    writeFileSync(join(varDir, 'production.db'), '');
    writeFileSync(memory, JSON.stringify({ instance: 'a', epoch: 1, database: 'sqlite:production.db' }));
    const alone = await lastOf({});
    expect(alone).toMatchObject({ ok: true, isLeftOut: true });
    expect(alone.told).toContain('checked against its chain alone');
    await withContext(({ context }) => markTakeOver({ ...context, anchorsFile: anchor }));
    const named = await lastOf({ anchor: [anchor] });
    expect(named.isLeftOut).toBe(true);
    expect(named.told).toContain('checked against its chain and the anchors of --anchor alone');
  });
});

test('that the history key was left alone', async () => {
  const id = await withContext(async ({ context }) => context.keyring.activeId('sealing'));
  const { lines, json } = await drop({}, [id]);
  expect(lines.at(-1)).toContain('--purpose history');
  expect(json).toMatchObject({ id, isHistoryLeft: true });
  expect((await drop({ purpose: 'sealing' }, [id])).json).toMatchObject({ isHistoryLeft: false });
});

test('whether the owner of a new app is known', async () => {
  expect((await addApp({ ...app, name: 'Second' })).json).toMatchObject({ owner_known: false });
  const known = { ...app, name: 'Third', owner: 'a'.repeat(24) };
  const added = await addApp(known);
  // An id of 24 hex digits may be named before its account comes: the first app of a mistaken id says so.
  expect(added.json).toMatchObject({ owner_known: false });
  expect(added.lines.at(-1)).toMatch(/^No account with the id of the owner was known here/);
  const again = await addApp({ ...known, name: 'Fourth' });
  expect(again.json).toMatchObject({ owner_known: true });
  expect(again.lines.at(-1)).toMatch(/^The secret and the token are shown only this once/);
});

test('that a cut-over moves no call, and that no more answers are compared', async () => {
  const { lines, json } = await cutOver({ percent: '50', reason: 'asked for' }, [clientId]);
  expect(lines).toContain(json['idle']);
  expect(await shadowCommand({})).toMatchObject({
    lines: expect.arrayContaining([expect.stringContaining('is off')]) as string[],
    json: { is_on: false },
  });
});

test('which fields an import left aside, and that it refused too many rows', async () => {
  const file = join(varDir, 'rows.ndjson');
  writeFileSync(file, `${JSON.stringify({ type: 'app', notes: 'x' })}\n`);
  const { lines, json } = await importTokens({ dryRun: true, maxRefused: 0 }, [file]);
  expect(lines.join('\n')).toContain('--max-refused 0');
  expect(json).toMatchObject({ isTooMany: true, unknownFields: expect.any(Array) as string[] });
});

test('whether a token stands with an unidentified program', async () => {
  const assigned = await assign({ app: clientId, reason: 'asked for' }, ['f'.repeat(24)]);
  expect(assigned.json).toMatchObject({ is_program: false });
});
