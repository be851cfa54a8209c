import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import {
  addAccount,
  addApp,
  addToken,
  emptyGround,
  type Ground,
  openGround,
  previewAll,
  sendAll,
  setDate,
} from './support/planning-ground.ts';

/** The look ahead: a mail that waits for the morning is told of as it will be in the morning. */

const clock = new SettableClock();
let ground: Ground;
let context: Context;

beforeAll(async () => {
  ground = await openGround('sqlite', clock);
  context = await ground.open();
});
afterAll(() => ground.close());

beforeEach(async () => {
  clock.set('2027-01-02T00:01:00Z');
  await emptyGround(context);
  await setDate(context, 'retirement', '2027-02-01T00:00:00Z');
  const account_id = await addAccount(context, { email: 'ann@example.org' });
  await addToken(context, await addApp(context), { account_id });
});

const shown = async () =>
  (await previewAll(context)).map(
    ({ day, isNow, due }) => `${day} ${isNow} ${due.map(({ stage }) => stage).join()}`,
  );

test('a minute after midnight the mail of the morning has the stage of the morning', async () => {
  expect(await shown()).toEqual(['2027-01-02 false 30']);
  clock.set('2027-01-02T09:00:00Z');
  expect(await shown()).toEqual(['2027-01-02 true 30']);
});

test('in the night before another stage, the mail that waits is of the stage that comes', async () => {
  clock.set('2027-01-18T00:01:00Z');
  expect(await shown()).toEqual(['2027-01-18 false 14']);
});

test('for a later day, a token that is in use now is taken to be in use then', async () => {
  await setDate(context, 'retirement', '2027-05-01T00:00:00Z');
  const now = clock.now();
  const later = new SettableClock(Date.parse('2027-04-24T09:00:00Z'));
  const stagesOf = async (settings: Context['settings']) => {
    const [one] = await previewAll({ ...context, clock: later, settings });
    return one?.due.map(({ stage }) => stage);
  };
  expect(await stagesOf({ ...context.settings, usesKnownUntil: now })).toEqual(['7']);
  // Without that the mail would be about a token that nobody has used for months.
  expect(await stagesOf(context.settings)).not.toEqual(['7']);
});

test('a day that has its mail leaves what is due to the next morning', async () => {
  clock.set('2027-01-02T12:00:00Z');
  await planReminders(context);
  await sendAll(context);
  expect(await shown()).toEqual([]);
  const account_id = (await previewedAccount()) ?? '';
  await addToken(context, await addApp(context), { account_id });
  expect(await shown()).toEqual(['2027-01-03 false 30']);
});

async function previewedAccount(): Promise<string | undefined> {
  const row = await context.store.durable.selectFrom('accounts').select('account_id').executeTakeFirst();
  return row?.account_id;
}
