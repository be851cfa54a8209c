import { asker, bearerFor, whileWritesFail } from '../support/api-caller.ts';
import { ask, askSecond, withTwoBearers } from '../support/bearers.ts';
import { SECOND } from '../support/modern.ts';
import { modern } from '../support/running-modern.ts';

withTwoBearers();

const FIELDS = `id email backupEmail name avatar timezone createdAt
  preferences { timeFormat startOfWeek defaultScheduleOption } organizations { id ownerEmail channelCount }`;

const SETTINGS = 'name timezone preferences { timeFormat startOfWeek defaultScheduleOption }';

const UPDATE = `mutation($input: UpdateAccountInput!) { updateAccount(input: $input) {
  __typename ... on AccountActionSuccess { account { ${SETTINGS} } } ... on MutationError { message } } }`;

const account = async (as = ask) => (await as(`{ account { ${FIELDS} } }`)).body.data.account;
const update = async (input: object, as = ask) => (await as(UPDATE, { input })).body.data.updateAccount;

test('what is given changes, what is left out stays, and the answer is the new account', async () => {
  const before = await account();
  const preferences = { timeFormat: '12', defaultScheduleOption: 'Now' };
  const answer = await update({ name: '  Dana D.  ', timezone: 'Asia/Tokyo', preferences });
  expect(answer).toEqual({
    __typename: 'AccountActionSuccess',
    account: {
      name: 'Dana D.',
      timezone: 'Asia/Tokyo',
      preferences: { ...before.preferences, ...preferences },
    },
  });
  expect(await account()).toEqual({ ...before, ...answer.account });
  expect((await update({})).account).toEqual(answer.account);
  expect((await update({ preferences: {} })).account).toEqual(answer.account);
});

test('null clears the time zone and what an account can be without', async () => {
  const { account: cleared } = await update({
    timezone: null,
    preferences: { timeFormat: null, startOfWeek: null },
  });
  expect(cleared).toMatchObject({ timezone: null, preferences: { timeFormat: null, startOfWeek: null } });
  expect(await account()).toMatchObject(cleared);
});

test('shows what it can change and no more, so that account:write alone does not read the account', async () => {
  const bearer = await bearerFor(modern.server.url, undefined, { scope: 'account:write' });
  const only = asker(modern.server.url, bearer);
  expect((await update({ name: 'Dana W.' }, only)).account.name).toBe('Dana W.');
  const curious = UPDATE.replace('name timezone', 'name email organizations { id }');
  expect((await only(curious, { input: {} })).body.errors[0].extensions.code).toBe(
    'GRAPHQL_VALIDATION_FAILED',
  );
});

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['AMERICA/NEW_YORK', 'America/New_York'],
  ['utc', 'UTC'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
])('the time zone %s is kept as %s', async (timezone, kept) => {
  expect((await update({ timezone })).account.timezone).toBe(kept);
  expect((await account()).timezone).toBe(kept);
});

test('quotes and backslashes in a name are kept as they are', async () => {
  const name = `"); drop table accounts; -- \\ ' 👩🏽‍🍳`;
  expect((await update({ name })).account.name).toBe(name);
  expect((await account()).name).toBe(name);
});

test.each([
  [
    'an empty name',
    { name: '  ' },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'no name',
    { name: null },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'a long name',
    { name: 'x'.repeat(101) },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'a name of two lines',
    { name: 'a\nb' },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'a name with NUL',
    { name: 'a\0b' },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'a name with half a character',
    { name: 'a\ud83d' },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji',
  ],
  [
    'an unknown time zone',
    { timezone: 'Mars/Base' },
    'The time zone must be an IANA name such as Europe/Berlin',
  ],
  ['an empty time zone', { timezone: '' }, 'The time zone must be an IANA name such as Europe/Berlin'],
  ['another time format', { preferences: { timeFormat: '13' } }, 'The time format must be 12 or 24'],
  [
    'another day',
    { preferences: { startOfWeek: 'Mon' } },
    'The start of the week must be a day such as monday',
  ],
  [
    'no schedule option',
    { preferences: { defaultScheduleOption: null } },
    'The default schedule option cannot be empty',
  ],
  [
    'several faults at once, beside something sound',
    { name: '', timezone: 'Mars/Base', preferences: { timeFormat: '24' } },
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji. The time zone must be an IANA name such as Europe/Berlin',
  ],
])('%s is invalid input and changes nothing', async (_what, input, message) => {
  const before = await account();
  expect(await update(input)).toEqual({ __typename: 'InvalidInputError', message });
  expect(await account()).toEqual(before);
});

test.each([
  ['the e-mail', { email: 'taken@grantbridge.example' }],
  ['the id', { id: '5e1f0c9a7b3d4e2f8a6c1d02' }],
  ['a number as name', { name: 1 }],
  ['an object as time zone', { timezone: { $ne: 1 } }],
  ['a list of preferences', { preferences: [{ timeFormat: '12' }, { timeFormat: '24' }] }],
  ['an unknown schedule option', { preferences: { defaultScheduleOption: 'Later' } }],
  ['a prototype', JSON.parse('{ "__proto__": { "name": "x" } }')],
])('%s cannot be given', async (_what, input) => {
  const before = await account();
  const { status, body } = await ask(UPDATE, { input });
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  expect(await account()).toEqual(before);
});

test('only the own account changes', async () => {
  const before = await account();
  expect((await update({ name: 'Sam' }, askSecond)).account.name).toBe('Sam');
  expect(await account(askSecond)).toMatchObject({ name: 'Sam', email: SECOND.email });
  expect(await account()).toEqual(before);
});

test('a database that cannot write is an unexpected error', async () => {
  await whileWritesFail(modern, ['update', 'accounts'], async () =>
    expect(await update({ name: 'Nobody' })).toEqual({
      __typename: 'UnexpectedError',
      message: 'An unexpected error occurred',
    }),
  );
  expect((await account()).name).not.toBe('Nobody');
});
