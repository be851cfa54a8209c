import { newEmailProof } from '../../../src/domain/accounts/prove-email.ts';
import { pinByHand } from '../../../src/domain/accounts/pin-by-hand.ts';
import { loadPerson } from '../../../src/domain/reminders/load-people.ts';
import { planningAt } from '../../../src/domain/reminders/plan-reminders.ts';
import { purgeExpired } from '../../../src/domain/purge-expired.ts';
import { DAY, MINUTE } from '../../../src/shared/lifetimes.ts';
import {
  browserOf,
  DANA,
  mappingOf,
  pressIn,
  SAM,
  waitingToken,
  wordsOf,
} from '../../owners/support/people.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { appNamed, letterTo, linksIn, seen, toHolder } from '../support/letters.ts';

/** For whom a mail may speak of a token, and how long its links prove an address. */

let system: System;
let smtp: SmtpDoor;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  smtp = await startSmtpServer();
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@bridge.example' };
  system = await startSystem({ clock, env });
});
afterAll(async () => {
  await system.stop();
  await smtp.close();
});

const proofs = (email: string) =>
  system.bridge.context.store.durable
    .selectFrom('email_proofs')
    .select(['expires_at', 'used_at'])
    .where('email', '=', email)
    .where('account_id', 'is', null)
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
    const { person } = (await loadPerson(system.bridge.context, `account:${id}`, {
      planning: await planningAt(system.bridge.context, clock.now()),
    }))!;
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
  expect(b.letter.text).toContain('their-program');
  expect(b.letter.text).not.toContain('own-program');
  expect(b.letter.text).toContain('/apps/prove-email/');

  // Of two accounts with one address the first one is meant, as in the plan.
  await accountWith('c3'.repeat(12), 'recycled@example.com');
  const late = { ...b.person, id: `account:${'c3'.repeat(12)}`, accountId: 'c3'.repeat(12) };
  const { text } = await letterTo(system, late, [toHolder(app, { at: clock.now() + 14 * DAY })]);
  expect(text).not.toMatch(/their-program|own-program|prove-email/);
});

/** The mail that leads somebody known by an address alone to an app, and the link in it. */
async function mailedLink(app: LegacyApp): Promise<string> {
  const { context } = system.bridge;
  const { person } = (await loadPerson(context, `email:${DANA.login}`, {
    planning: await planningAt(context, clock.now()),
  }))!;
  const letter = await letterTo(system, person, [toHolder(app, { at: clock.now() + 180 * DAY })]);
  expect(letter.text.replace(/\s+/g, ' ')).toContain('for 24 hours its link shows that the address is yours');
  return linksIn(letter).find((href) => href.includes('/apps/prove-email/')) ?? 'none';
}

function later(ms: number): void {
  clock.advance(ms);
  clock.run();
}

test('a link proves the address for 24 hours, and then has a new one mailed that leads to the same app', async () => {
  const app = await appNamed(system, 'Much later');
  const { id } = await waitingToken(system, { app, email: DANA.login });
  const link = await mailedLink(app);
  later(DAY - 60_000);
  let dana = await browserOf(system);
  expect(wordsOf(await dana.get(link))).toContain('Is this e-mail address yours?');
  const form = dana.forms(await dana.get(link)).find(({ action }) => action === '' || action === link);
  later(120_000);
  dana = await browserOf(system);
  const over = await dana.get(link);
  expect([over.status, wordsOf(over)]).toEqual([403, expect.stringContaining('It is older than 24 hours')]);
  const field = dana.forms(over)[0]?.fields[0]?.value ?? '';
  expect([form?.method, (await dana.post(link, { _form: field })).status]).toEqual(['post', 403]);
  expect((await mappingOf(system, id)).accountId).toBeNull();
  expect(wordsOf(await dana.get(`${system.bridgeUrl}/apps`))).toContain(DANA.login);

  const sent = await dana.follow(await pressIn(dana, over, /^Send me a new link$/));
  expect(wordsOf(sent)).toContain('A mail with a link is on its way to you.');
  const fresh = /http\S+\/apps\/prove-email\/\S+/.exec(smtp.mailTo(DANA.login).text)?.[0] ?? 'none';
  expect(fresh).toMatch(new RegExp(`/apps/prove-email/[\\w-]{43}\\?connect=${app.clientId}$`));
  const page = await dana.get(fresh);
  const led = await dana.follow(await pressIn(dana, page, /Yes/));
  expect((await mappingOf(system, id)).accountId).toBe(DANA.accountId);
  expect(new URL(led.url).pathname).toMatch(/^\/apps\/connect\//);

  // The tokens are known to be hers by now: the old mail leads to them, whatever its link once proved.
  later(40 * DAY);
  await purgeExpired(system.bridge.context);
  dana = await browserOf(system);
  expect((await dana.get(link)).location).toMatch(/\/apps\/connect\//);
  const sam = await browserOf(system, SAM);
  expect((await sam.get(link)).status).toBe(404);
});

test('a link of an earlier version, which says that it ends in 30 days, proves no more than one of today', async () => {
  const app = await appNamed(system, 'From before');
  await waitingToken(system, { app, email: DANA.login });
  const link = `${await newLink(DANA.login)}?connect=${app.clientId}`;
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('email_proofs')
    .set({ expires_at: clock.now() + 30 * DAY })
    .execute();
  later(2 * DAY);
  const dana = await browserOf(system);
  const over = await dana.get(link);
  expect([over.status, wordsOf(over)]).toEqual([403, expect.stringContaining('It is older than 24 hours')]);
});

test('the mails that an old link has sent count as those of the page of apps do', async () => {
  later(61 * MINUTE);
  const app = await appNamed(system, 'Often');
  await waitingToken(system, { app, email: DANA.login });
  const link = `${await newLink(DANA.login)}?connect=${app.clientId}`;
  later(DAY);
  const dana = await browserOf(system);
  const press = async () => (await pressIn(dana, await dana.get(link), /^Send me a new link$/)).status;
  expect([await press(), await press(), await press(), await press()]).toEqual([303, 303, 303, 429]);
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
  await pinByHand(system.bridge.context, {
    email: ' Pinned@Example.com',
    accountId: 'd4'.repeat(12),
    ...by,
  } as never);
  expect((await proofs(email)).map((row) => row.used_at)).toEqual([expect.any(Number), expect.any(Number)]);
});
