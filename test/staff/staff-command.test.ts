import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { staffCommands } from '../../src/cli/cli-staff.ts';
import { withNewestSchema, withContext } from '../../src/cli/commands/with-context.ts';
import { listEventsOf } from '../../src/store/history/events.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';

/** The operator's command that says who is of the staff. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'staff-'));
const [ADA, BO, BO_TOO] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
let database: Awaited<ReturnType<typeof chooseDatabase>>;
let written: string[];

beforeAll(async () => {
  database = await chooseDatabase();
  process.env = { VAR_DIR: varDir, LOG_LEVEL: 'error', ...database.settings };
  await withNewestSchema(async ({ context: { store } }) => {
    for (const account_id of [ADA, BO, BO_TOO]) {
      const email = account_id === ADA ? 'Ada@Box.example' : 'bo@box.example';
      const row = { account_id, email, name: 'Ada\nor Bo', updated_at: 1 };
      await store.durable.insertInto('accounts').values(row).execute();
    }
  });
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
afterEach(() => jest.restoreAllMocks());

async function staff(...args: string[]): Promise<string> {
  const program = new Command('grantbridge').exitOverride().addCommand(staffCommands());
  await program.parseAsync(['staff', ...args], { from: 'user' });
  return written.join('');
}

const jsonOf = async (...args: string[]) => JSON.parse(await staff(...args, '--json')) as unknown;

const history = (action: string) =>
  withContext(async ({ context }) =>
    (await listEventsOf(context.store.durable, action)).map(({ account_id: id, actor, reason }) => ({
      id,
      actor,
      reason,
    })),
  );

test('without anybody the list says what to do', async () => {
  expect(await staff('list')).toBe(
    'No account is support staff yet. To add one: grantbridge staff add ACCOUNT --role lead\n',
  );
});

test('an account gets a role by its id or its e-mail, and another one later', async () => {
  expect(await staff('add', 'ADA@box.example', '--role', 'agent', '--by', 'Grace')).toBe(
    `Account ${ADA} is now support staff, as agent.\n`,
  );
  written = [];
  expect(await jsonOf('add', ADA, '--role', 'lead')).toEqual({
    account_id: ADA,
    role: 'lead',
    before: 'agent',
    account_known: true,
    has_access: true,
  });
  expect(await history('staff_added')).toEqual([
    { id: ADA, actor: 'command:Grace', reason: 'agent' },
    { id: ADA, actor: `command:${userInfo().username}`, reason: 'lead, was agent' },
  ]);
  written = [];
  const at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/) as unknown;
  const by = `command:${userInfo().username}`;
  expect(await jsonOf('list')).toEqual({
    staff: [
      {
        account_id: ADA,
        role: 'lead',
        name: 'Ada\nor Bo',
        email: 'Ada@Box.example',
        added_by: by,
        added_at: at,
      },
    ],
    company: [],
    company_sign_in: null,
  });
  written = [];
  expect(await staff('list')).toMatch(
    new RegExp(`^${ADA} {2}lead {4}Ada\\?or Bo, Ada@Box\\.example {2}since .*\\n$`),
  );
});

test.each([
  [
    'not an account',
    'Name an account id (24 hex digits in lower case, or the id of an account that is known here), or an e-mail address.',
  ],
  ['nobody@box.example', 'No account with this e-mail address is known.'],
  ['bo@box.example', `2 accounts have this e-mail address. Name the account by its id: ${BO}, ${BO_TOO}`],
])('%s is refused and changes nothing', async (account, words) => {
  const known = await history('staff_added');
  await expect(staff('add', account, '--role', 'reader')).rejects.toThrow(words);
  expect(await history('staff_added')).toEqual(known);
});

test.each([
  [['add', ADA]],
  [['add', ADA, '--role', 'admin']],
  [['add']],
  [['remove']],
  [['add', ADA, '--role', 'lead', '--by', ' ']],
])('wrong usage: staff %j', async (args) => {
  await expect(staff(...args)).rejects.toMatchObject({
    name: expect.stringMatching(/^(Commander|InvalidArgument)Error$|^WrongUsage$/) as unknown,
  });
});

test('who is taken off the staff is gone, and cannot be taken off twice', async () => {
  expect(await staff('remove', 'ada@box.example')).toBe(
    `Account ${ADA} is no longer support staff. Its role was lead.\n`,
  );
  expect(await history('staff_removed')).toMatchObject([{ id: ADA, reason: 'was lead' }]);
  await expect(staff('remove', ADA)).rejects.toThrow('This account is not support staff.');
});

test('an account that is not known here gets a role, and whoever gives it is told how to take it back', async () => {
  const unknown = 'f'.repeat(24);
  expect(await staff('add', unknown, '--role', 'reader')).toBe(
    `Account ${unknown} is now support staff, as reader.\n` +
      `No account with this id is known here yet. If the id is wrong: grantbridge staff remove ${unknown}\n`,
  );
  written = [];
  await staff('remove', unknown);
  written = [];
});
