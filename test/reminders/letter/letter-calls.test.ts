import { DAY } from '../../../src/shared/lifetimes.ts';
import { callsOf } from '../../../src/domain/usage/calls-of.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import {
  DANA_PERSON,
  type Letter,
  letterTo,
  NOW,
  RETIREMENT,
  seen,
  setDates,
  SUNSET,
  toHolder,
  toOwner,
} from '../support/letters.ts';

/** The calls that a mail tells of. */

let system: System;

beforeAll(async () => {
  // Waiting tokens have something to lose.
  const env = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' };
  system = await startSystem({ clock: new SettableClock(NOW), env });
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
});
afterAll(() => system.stop());

test('calls of ten thousand tokens are summed up, the most frequent first', async () => {
  const { context } = system.bridge;
  const ids = Array.from({ length: 20_001 }, (_, index) => `many-${index}`);
  await seen(system, 'many-0', [
    { calls: 5 },
    { user_agent: 'x', calls: 2 },
    { calls: 1, last_at: NOW - 40 * DAY },
  ]);
  await seen(system, 'many-20000', [{ calls: 3, last_at: NOW - 1000 }]);
  const calls = await callsOf(context, ids, { days: 30 });
  expect(calls.kinds.map(({ user_agent, calls: count }) => [user_agent, count])).toEqual([
    ['buffer-python/1.2', 8],
    ['x', 2],
  ]);
  expect(calls.last).toEqual({ isRefused: false, at: NOW - 1000, userAgent: 'buffer-python/1.2' });
});

test('without the usage the mail goes all the same and says so', async () => {
  const { context } = system.bridge;
  const token = await waitingToken(system, { accountId: DANA.accountId });
  await seen(system, token.id, [{ calls: 7 }]);
  const away = {
    selectFrom: () => {
      throw new Error('the database is away');
    },
    getExecutor: () => context.store.durable.getExecutor(),
  };
  const broken = {
    ...system,
    bridge: {
      ...system.bridge,
      context: { ...context, store: { ...context.store, volatile: away as never } },
    },
  };
  const due = [toOwner(system.app)];
  expect((await letterTo(system, DANA_PERSON, due)).text).toContain('7  /1/profiles.json');
  const { text } = await letterTo(broken, DANA_PERSON, due);
  expect(text.replaceAll(/\s+/g, ' ')).toContain('could not be read');
  expect(text).toContain('The last use was on 17 January 2027.');
});

const flat = ({ text }: Letter) => text.replaceAll(/\s+/g, ' ').replaceAll('\u2060', '');

test('tokens that seem not to be used are told apart from ended ones, whose calls came all the same', async () => {
  const app = await system.registerApp('https://ended.example/cb');
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId, state: 'revoked' });
  const due = toOwner(app, { stage: 'unused', part: { lastUsedAt: NOW - 90 * DAY } });
  const without = flat(await letterTo(system, DANA_PERSON, [due]));
  expect(without).not.toContain('ended ones');
  await seen(system, id, [{ calls: 7, outcome: 'refused' }]);
  const said = flat(await letterTo(system, DANA_PERSON, [due]));
  expect(said).toContain('7 /1/profiles.json');
  expect(said).toContain('The calls below are of all its tokens, ended ones too.');
  for (const text of [without, said]) {
    expect(text).toContain('no call came with a connected or waiting token in the last 30 days.');
    expect(text).toContain('no connected or waiting token of it was used in the last 30 days.');
  }
});

/** The mail about the sunset to the owner of an app that was last used then. */
const beforeSunset = async (lastUsedAt: number | undefined) => {
  const due = toOwner(system.app, { milestone: 'sunset', at: SUNSET, part: { lastUsedAt } });
  return flat(await letterTo(system, DANA_PERSON, [due]));
};

test('an owner is told of calls to the old API as the reason only where a call is known', async () => {
  expect(await beforeSunset(NOW - DAY)).toContain('134 days away, and your app still calls the old API.');
  for (const usedAt of [NOW - 31 * DAY, undefined])
    expect(await beforeSunset(usedAt)).toContain('134 days away, and your app has 42 tokens of the old API.');
});

test('a holder is not warned of calls that the old API does not answer either', async () => {
  const app = await system.registerApp('https://wrong.example/cb');
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId });
  const said = async () => flat(await letterTo(system, DANA_PERSON, [toHolder(app)]));
  await seen(system, id, [{ endpoint: '/1/nonsense.json', outcome: 'not_found' }]);
  expect(await said()).not.toContain('connected or not. Whoever makes this app has to change it');
  await seen(system, id, [{ endpoint: '/1/analytics.json' }]);
  expect(await said()).toContain('From 1 February 2027 on one kind of call that it makes is refused');
});

test('a contact is promised no number of mails: there may be several owners whose mails are passed on', async () => {
  const due = [toOwner(system.app)];
  expect(flat(await letterTo(system, DANA_PERSON, due))).toContain('sends this mail, at most one a day,');
  const contact = flat(await letterTo(system, { ...DANA_PERSON, isContact: true }, due));
  expect(contact).toContain('sends this mail, because you are the owner or a contact');
});
