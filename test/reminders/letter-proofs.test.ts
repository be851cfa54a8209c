import { newEmailProof } from '../../src/domain/prove-email.ts';
import { pinAccount } from '../../src/domain/pin-account.ts';
import { loadPerson } from '../../src/domain/reminders/load-people.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { browserOf, DANA, mappingOf, pressIn, waitingToken, wordsOf } from '../owners/support/people.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { startSystem, type System } from '../support/system.ts';
import { appNamed, letterTo, linksIn, seen, toHolder } from './support/letters.ts';

/** For whom a mail may speak of a token, and how long its links prove an address. */

let system: System;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
});
afterAll(() => system.stop());

const proofs = (email: string) =>
  system.bridge.context.store.durable
    .selectFrom('email_proofs')
    .select(['expires_at', 'used_at'])
    .where('email', '=', email)
    .execute();

const newLink = (email: string) => newEmailProof(system.bridge.context, email);

/** An account that has had another address before. */
async function accountWith(id: string, email: string): Promise<void> {
  const row = { account_id: id, email, updated_at: clock.now(), timezone: null, name: null };
  await system.bridge.context.store.durable.insertInto('accounts').values(row).execute();
}

test('an earlier address names nobody any more: what waits under it for another is no word of the mail', async () => {
  const [first, other] = ['a1'.repeat(12), 'b2'.repeat(12)];
  await accountWith(first, 'new-a@example.com');
  await accountWith(other, 'recycled@example.com');
  const app = await appNamed(system, 'Shared tool');
  const own = await waitingToken(system, { app, accountId: first, email: 'recycled@example.com' });
  const theirs = await waitingToken(system, { app, email: 'recycled@example.com' });
  const last_at = clock.now() - DAY;
  await seen(system, own.id, [{ user_agent: 'own-program/1', calls: 3, last_at }]);
  await seen(system, theirs.id, [{ user_agent: 'their-program/1', calls: 77_777, last_at }]);

  const letterOf = async (id: string) => {
    const { person } = (await loadPerson(system.bridge.context, `account:${id}`, { now: clock.now() }))!;
    const part = person.parts[0] as never;
    const due = [toHolder({ ...app, name: 'Shared tool' }, { part, at: clock.now() + 14 * DAY })];
    return { person, letter: await letterTo(system, person, due) };
  };
  const a = await letterOf(first);
  expect(a.person.aliases).toContain('email:recycled@example.com');
  expect(a.letter.text).toContain('own-program');
  expect(a.letter.text + a.letter.html).not.toMatch(/their-program|77,777|prove-email/);
  expect(linksIn(a.letter).filter((link) => link.includes('/apps/connect/'))).toHaveLength(1);
  expect(a.letter.text.replace(/\s+/g, ' ')).toContain('1 token of this app is not connected');

  const b = await letterOf(other);
  expect(b.letter.text).toMatch(/77,777[^]*their-program/);
  expect(b.letter.text).not.toContain('own-program');
  expect(b.letter.text).toContain('/apps/prove-email/');

  // Of two accounts with one address the first one is meant, as in the plan.
  await accountWith('c3'.repeat(12), 'recycled@example.com');
  const late = { ...b.person, id: `account:${'c3'.repeat(12)}`, accountId: 'c3'.repeat(12) };
  const { text } = await letterTo(system, late, [toHolder(app, { at: clock.now() + 14 * DAY })]);
  expect(text).not.toMatch(/their-program|own-program|prove-email/);
});

test('a link works for 30 days, also where the date is later, and then the page says how to get a new one', async () => {
  const app = await appNamed(system, 'Much later');
  const { id } = await waitingToken(system, { app, email: DANA.login });
  const person = (await loadPerson(system.bridge.context, `email:${DANA.login}`, { now: clock.now() }))!
    .person;
  const letter = await letterTo(system, person, [toHolder(app, { at: clock.now() + 180 * DAY })]);
  const link = linksIn(letter).find((href) => href.includes('/apps/prove-email/')) ?? 'none';
  clock.advance(30 * DAY - 60_000);
  clock.run();
  const dana = await browserOf(system);
  expect(wordsOf(await dana.get(link))).toContain('Is this e-mail address yours?');
  clock.advance(120_000);
  clock.run();
  const over = await dana.get(link);
  expect([over.status, wordsOf(over)]).toEqual([
    403,
    expect.stringMatching(
      /works for 30 days.*Sign in with the account.*go to your apps and ask for a new link/,
    ),
  ]);
  expect((await mappingOf(system, id)).accountId).toBeNull();
  expect(wordsOf(await dana.get(`${system.bridgeUrl}/apps`))).toContain(DANA.login);
});

test('of many links to an address the newest three work; one that is used uses up the others', async () => {
  const dana = await browserOf(system);
  const links: string[] = [];
  for (let index = 0; index < 5; index++) {
    links.push(await newLink(` ${DANA.login.toUpperCase()} `));
    clock.advance(1000);
  }
  await newLink('someone@else.example');
  const live = (await proofs(DANA.login)).filter((row) => row.used_at === null);
  expect(live).toHaveLength(3);
  const states = [];
  for (const link of links) states.push((await dana.get(link)).status);
  expect(states).toEqual([404, 404, 200, 200, 200]);

  const page = await dana.get(links[3] ?? '');
  await pressIn(dana, page, /Yes/);
  expect((await proofs(DANA.login)).filter((row) => row.used_at === null)).toEqual([]);
  const used = await dana.get(links[4] ?? '');
  expect([used.status, wordsOf(used)]).toEqual([403, expect.stringContaining('used already')]);
  expect((await proofs('someone@else.example')).map((row) => row.used_at)).toEqual([null]);
});

test('an address that is pinned by other means leaves no link that proves it', async () => {
  const email = 'pinned@example.com';
  await newLink(email);
  await newLink(email);
  const by = { actor: 'test', requestId: undefined, how: 'decided by an operator' };
  await pinAccount(system.bridge.context, {
    email: ' Pinned@Example.com',
    accountId: 'd4'.repeat(12),
    ...by,
  } as never);
  expect((await proofs(email)).map((row) => row.used_at)).toEqual([expect.any(Number), expect.any(Number)]);
});
