import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { apiKeyCommands } from '../../src/cli/cli-staff.ts';
import { withContext, withNewestSchema } from '../../src/cli/commands/with-context.ts';
import { apiCallerWith } from '../../src/domain/api-keys/api-caller.ts';
import { listEventsOf } from '../../src/store/history/events.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';

/** The operator's command that makes, shows and ends the keys of programs. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'api-keys-'));
let database: Awaited<ReturnType<typeof chooseDatabase>>;
let written: string[];

beforeAll(async () => {
  database = await chooseDatabase();
  process.env = { VAR_DIR: varDir, LOG_LEVEL: 'error', ...database.settings };
  await withNewestSchema(async () => undefined);
});
afterAll(async () => {
  process.env = before;
  await database.remove();
  rmSync(varDir, { recursive: true, force: true });
});
beforeEach(() => {
  written = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

async function run(...args: string[]): Promise<string> {
  written = [];
  const program = new Command('grantbridge').exitOverride().addCommand(apiKeyCommands());
  await program.parseAsync(['api-keys', ...args], { from: 'user' });
  return written.join('');
}

const jsonOf = async (...args: string[]) =>
  JSON.parse(await run(...args, '--json')) as { key_id: string; key: string };

const MAKE = ['make', '--name', 'Ticket\u00a0desk', '--role', 'agent', '--days', '30', '--by', 'Grace'];

test('a key is made, printed once, listed without its text, and ended', async () => {
  expect(await run('list')).toBe('No program has a key yet. To make one: grantbridge api-keys make\n');
  const { key_id: id, key } = await jsonOf(...MAKE);
  const caller = () => withContext(({ context }) => apiCallerWith(context, key));
  expect(await caller()).toMatchObject({ keyId: id, role: 'agent' });
  const list = await run('list');
  expect(list).toMatch(new RegExp(`^${id} {2}agent {3}live {5}Ticket`));
  expect(list).not.toContain(key);
  expect(await run('end', id, '--reason', 'not used')).toBe(
    'The key has ended. Its next request is refused.\n',
  );
  expect(await caller()).toBeUndefined();
  expect(await jsonOf('end', id)).toEqual({ key_id: id, ended: false });
  expect(process.exitCode).toBe(1);
  const history = await withContext(({ context }) => listEventsOf(context.store.durable, 'api_key_made'));
  expect(history.map(({ actor }) => actor)).toEqual(['command:Grace']);
});

test.each([
  ['--days', '0', 'A key lasts a whole number of days, from 1 to 366.'],
  ['--days', 'soon', 'A key lasts a whole number of days, from 1 to 366.'],
  ['--name', ' ', 'The name has to have 1 to 80 printable characters.'],
])('%s %j is refused', async (option, value, words) => {
  const place = MAKE.indexOf(option) + 1;
  await expect(run(...MAKE.with(place, value))).rejects.toThrow(words);
});
