import PostalMime from 'postal-mime';
import type { Context } from '../../src/domain/context.ts';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planLeakMails } from '../../src/domain/reminders/leaked/plan-leak-mails.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { DAY, HOUR } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import {
  type DeliveryGround,
  openDeliveryGround,
  setRetirement,
  yesterdayNoon,
} from '../reminders/support/delivery-ground.ts';
import { addAccount, addApp, addToken } from '../reminders/support/planning-ground.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';

/** The mails about leaked tokens, up to a real mail server: who is told, of what, and how often. */

const origin = { actor: 'leaks:key', requestId: null };
const OWNER = 'owner@box.example';
const HOLDER = 'holder@box.example';

describe.each(databaseKinds)('on %s', (kind) => {
  let door: SmtpDoor;
  let ground: DeliveryGround;
  let clock: SettableClock;
  let context: Context;
  let other: Context;
  let holder: string;
  let app: string;

  beforeAll(async () => {
    door = await startSmtpServer();
    ground = await openDeliveryGround({ kind, smtpPort: door.port });
    clock = new SettableClock(yesterdayNoon());
    context = await ground.open(clock);
    other = await ground.open(clock);
    await countCallsSince(context.store, 0);
  });
  afterAll(async () => {
    await ground.close();
    await door.close();
  });
  beforeEach(async () => {
    const { durable } = context.store;
    for (const table of [
      'leak_places',
      'leaked_tokens',
      'reminders',
      'mails',
      'stopped_addresses',
      'reauthorization_links',
      'app_contacts',
      'mappings',
      'apps',
      'accounts',
    ] as const)
      await durable.deleteFrom(table).execute();
    clock.set(yesterdayNoon());
    door.mails.length = 0;
    door.refused.clear();
    door.isAway = false;
    holder = await addAccount(context, { email: HOLDER });
    app = await addApp(context, { name: 'Night poster', ownerEmail: OWNER });
  });

  async function token(of: { account_id?: string; client?: string } = {}) {
    const value = newLegacyToken();
    const { client = app, account_id = holder } = of;
    const id = await addToken(context, client, {
      account_id,
      state: 'unmapped',
      token_digest: context.vault.digest(value),
      hint_first: value.slice(2, 6),
      hint_last: value.slice(-4),
    });
    return { value, id };
  }

  const report = (tokens: ReadonlyArray<{ value: string }>, found = 'https://code.example/x', hours = 0) =>
    reportLeaks(
      context,
      { reports: tokens.map(({ value }) => ({ token: value, found })), grace: hours * HOUR },
      origin,
    );
  const tell = async (at = context) => {
    await planLeakMails(at);
    return deliverReminders(at);
  };
  const recipients = () => door.mails.flatMap(({ to }) => to).toSorted();
  const toldOf = async () =>
    (await context.store.durable.selectFrom('leaked_tokens').select('told_at').execute()).filter(
      ({ told_at }) => told_at !== null,
    ).length;

  async function read(address: string) {
    const { subject = '', text = '', html = '' } = await PostalMime.parse(door.mailTo(address).raw);
    return { subject, text: text.replaceAll(/\s+/g, ' '), html };
  }

  test('holder and owner are told where it was found, what it was used for, when it ended and what to do', async () => {
    const one = await token();
    const now = clock.now();
    const call = { endpoint: '/1/user.json', carrier: 'query', user_agent: 'night/1.0', outcome: 'ok' };
    await addUsage(context.store, [{ mapping_id: one.id, day: dayOf(now), ...call, calls: 7, last_at: now }]);
    await report([one]);
    await tell();
    expect(recipients()).toEqual([HOLDER, OWNER]);
    const [toHolder, toOwner] = [await read(HOLDER), await read(OWNER)];
    for (const { subject, text, html } of [toHolder, toOwner]) {
      expect(subject).toBe('A token of “Night poster” has leaked');
      expect(text).toContain('It is revoked: this service refuses it now.');
      expect(text).toContain(`The token that ends with ${one.value.slice(-4)}: reported on`);
      expect(text).toContain('found at: https :// code.');
      expect(text).toContain('7 /1/user.json by night/1.0, token in the address');
      expect(text).toContain('The last call was on');
      for (const part of [one.value, one.value.slice(2)]) {
        expect(text).not.toContain(part);
        expect(html).not.toContain(part);
      }
      expect(html).not.toMatch(/href="[^"]*code\.example/);
      expect(html).not.toContain('https://code.example');
    }
    expect(toHolder.text).toContain('connect it again from the app');
    expect(toHolder.text).not.toContain('your program');
    expect(toOwner.text).toContain('put the new token into your program');
  });

  test('within the grace the mail says when the token ends, and leads its holder to end it now', async () => {
    const one = await token();
    await report([one], 'a log', 48);
    await tell();
    const { text, html } = await read(HOLDER);
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/It is revoked on [^.]* at the latest\./);
    expect(text).toContain('Whoever has it can use it until it is revoked.');
    expect(html).toContain(`http://localhost:3000/apps/${app}/revoke`);
    expect((await read(OWNER)).html).not.toContain('/revoke');
  });

  test('a mail that waits while its app is retired is dropped, and planned again afterwards', async () => {
    await report([await token()]);
    await planLeakMails(context);
    const retire = (at: number | null) =>
      context.store.durable.updateTable('apps').set({ retired_at: at }).execute();
    await retire(clock.now());
    expect(await tell()).toMatchObject({ sent: 0, dropped: 2 });
    await retire(null);
    expect(await tell()).toMatchObject({ sent: 2 });
  });

  test('each person is told once, by whatever process plans and sends', async () => {
    const tokens = await Promise.all(Array.from({ length: 25 }, () => token()));
    await report(tokens);
    await Promise.all([planLeakMails(context), planLeakMails(other), planLeakMails(context)]);
    await Promise.all([deliverReminders(context), deliverReminders(other)]);
    expect(recipients()).toEqual([HOLDER, OWNER]);
    const { subject, text } = await read(HOLDER);
    expect(subject).toBe('25 tokens of “Night poster” have leaked');
    expect(text).toContain('and 5 more tokens');
    await report(tokens, 'another place');
    expect(await tell()).toMatchObject({ sent: 0 });
    expect(await toldOf()).toBe(25);
  });

  test('one mail tells of all tokens of a long turn, also where mails are sent meanwhile', async () => {
    await report(await Promise.all(Array.from({ length: 210 }, () => token())));
    await Promise.all([planLeakMails(context), deliverReminders(other), deliverReminders(other)]);
    await deliverReminders(context);
    expect(recipients()).toEqual([HOLDER, OWNER]);
    expect((await read(OWNER)).subject).toBe('210 tokens of “Night poster” have leaked');
    await planLeakMails(context);
    expect(await toldOf()).toBe(210);
  });

  test('who holds the token and owns the app gets one mail with both', async () => {
    const client = await addApp(context, { name: 'Own', owner: holder });
    await report([await token({ client })]);
    await tell();
    expect(recipients()).toEqual([HOLDER]);
    const { text } = await read(HOLDER);
    expect(text).toContain('connect it again from the app');
    expect(text).toContain('Authorization header');
  });

  test('a token of an unidentified program is told to its holder alone; one that had ended to nobody', async () => {
    const client = await addApp(context, { name: 'Unknown', source: 'observed', ownerEmail: OWNER });
    const [one, two] = [await token({ client }), await token()];
    await context.store.durable
      .updateTable('mappings')
      .set({ state: 'revoked' })
      .where('id', '=', two.id)
      .execute();
    await report([one, two]);
    await tell();
    expect(recipients()).toEqual([HOLDER]);
  });

  test('it neither waits for the mail of the day nor takes its place', async () => {
    await setRetirement(context);
    const one = await token();
    await planReminders(context);
    await deliverReminders(context);
    expect(recipients()).toEqual([HOLDER, OWNER]);
    await report([one], 'a log', 48);
    await tell();
    expect(recipients()).toEqual([HOLDER, HOLDER, OWNER, OWNER]);
    const { durable } = context.store;
    await durable.deleteFrom('lifecycle_dates').execute();
    await context.lifecycle.refresh();
  });

  test('passed on to a contact, it leaves room for the mail of the day too', async () => {
    await context.store.durable
      .insertInto('app_contacts')
      .values([
        { client_id: app, address: 'first@box.example' },
        { client_id: app, address: 'team@box.example' },
      ])
      .execute();
    await setRetirement(context);
    await token({ account_id: await addAccount(context) });
    const one = await token();
    door.refused.add(OWNER).add('first@box.example');
    await report([one]);
    expect(await tell()).toMatchObject({ passedOn: 2, sent: 2 });
    door.refused.clear();
    await planReminders(context);
    await deliverReminders(context);
    expect(recipients()).toEqual([HOLDER, OWNER, 'team@box.example']);
    const { durable } = context.store;
    await durable.deleteFrom('lifecycle_dates').execute();
    await context.lifecycle.refresh();
  });

  test('a contact is told where the address of the owner takes no mail; support finds what reached nobody', async () => {
    await context.store.durable
      .insertInto('app_contacts')
      .values({ client_id: app, address: 'team@box.example' })
      .execute();
    door.refused.add(OWNER).add(HOLDER);
    await report([await token()]);
    expect(await tell()).toMatchObject({ passedOn: 1, undeliverable: 1, sent: 1 });
    expect(recipients()).toEqual(['team@box.example']);
    const { text } = await read('team@box.example');
    expect(text).toContain('put the new token into your program');
    expect(text).not.toContain('connect it again from the app');
    expect(await tell()).toMatchObject({ sent: 0 });
    expect(await toldOf()).toBe(1);
  });

  test('a mail that an older version dropped is planned again', async () => {
    await report([await token()]);
    await planLeakMails(context);
    const { durable } = context.store;
    await durable.updateTable('mails').set({ state: 'dropped' }).execute();
    await durable.updateTable('reminders').set({ dropped_at: clock.now() }).execute();
    await tell();
    expect(recipients()).toEqual([HOLDER, OWNER]);
  });

  test('a mail server that is away delays the mail, and the token stays on the list', async () => {
    door.isAway = true;
    await report([await token()]);
    expect(await tell()).toMatchObject({ sent: 0, putOff: 2 });
    expect(await toldOf()).toBe(0);
    door.isAway = false;
    clock.advance(DAY);
    expect(await tell()).toMatchObject({ sent: 2 });
    await planLeakMails(context);
    expect(await toldOf()).toBe(1);
  });

  test('holder and owner of whom only the id is known make mails that support finds', async () => {
    const client = await addApp(context, { owner: 'nobody-knows-me' });
    await report([await token({ account_id: await addAccount(context), client })]);
    expect(await tell()).toMatchObject({ undeliverable: 2 });
  });

  test.each([
    ['https://evil.example/"><a href=https://evil.example>Connect again</a>'],
    ['www.evil.example/connect javascript:alert(1) mailto:me@evil.example'],
  ])('the place is a text of a stranger and never a link: %s', async (found) => {
    await report([await token()], found);
    await tell();
    const { html, text } = await read(HOLDER);
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => !href.startsWith('http://localhost:3000'))).toEqual([]);
    expect(html).not.toContain('<a href=https');
    expect(text).not.toMatch(/evil\.example/);
  });
});
