import { giveApp } from '../../../src/domain/accounts/give-app.ts';
import { cutOverApp } from '../../../src/domain/cut-over/cut-over-app.ts';
import { setDate } from '../../reminders/support/planning-ground.ts';
import { addContact } from '../../../src/domain/apps/app-contacts.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { confirm, exchange, fieldOf, OWN_CLIENT, useOwnClient } from '../../exchange/support/own-client.ts';
import { browserOf, DANA, pressIn, SAM, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { act, becomes } from '../support/actions.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** What staff did with an address, an app or its time, and what an app confirmed. */

const REASON = 'ticket 4711';

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  beforeAll(async () => {
    await world.startOn(kind);
    await setDate(world.context, 'sunset', '2096-01-01');
  });
  afterAll(() => world.stop());

  const newApp = async () => {
    const app = await world.system.registerApp(`https://${newHexId()}.example/callback`);
    world.apps = [app];
    return app;
  };
  const appRow = (clientId: string) =>
    world.db.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirstOrThrow();
  const pairOf = (oldId: string) =>
    world.db.selectFrom('id_pairs').selectAll().where('legacy_id', '=', oldId).executeTakeFirst();

  /** Two tokens, an app and an old id that wait under an address; one of the tokens has a connection to join. */
  async function underAddress() {
    const app = await newApp();
    await world.made('issue', 0);
    const [email, oldId] = [`${newHexId()}@box.example`, newHexId()];
    const joins = await waitingToken(world.system, { app, email });
    const waits = await waitingToken(world.system, { app: await newApp(), email });
    const owned = (await newApp()).clientId;
    const nobody = { owner_account_id: null, owner_email: email };
    await world.db.updateTable('apps').set(nobody).where('client_id', '=', owned).execute();
    await world.db
      .insertInto('id_pairs')
      .values({ kind: 'account', legacy_id: oldId, email, source: 'imported', created_at: 0 })
      .execute();
    return { joins, waits, owned, oldId, email };
  }

  async function pinned() {
    const things = await underAddress();
    const ids = [things.joins.id, things.waits.id];
    const standing = async () => [
      await Promise.all(ids.map((id) => world.row(id))),
      (await appRow(things.owned)).owner_account_id,
      (await pairOf(things.oldId))?.modern_id,
    ];
    const before = await standing();
    await world.acts(things.waits.id, 'pin', { account_id: DANA.accountId });
    return { ...things, before, standing, entry: await world.entry('account_pinned', things.waits.id) };
  }

  test('a pin: tokens, app and old id wait again, and the token that had joined a connection is off it', async () => {
    const { joins, waits, owned, before, standing, entry, email } = await pinned();
    expect((await world.row(joins.id)).state).toBe('active');
    expect((await appRow(owned)).owner_account_id).toBe(DANA.accountId);
    const then = world.clock.now();
    await world.takesBack(entry);
    expect(await standing()).toEqual(before);
    const past = async (at: number) => {
      const { json } = await world.pastOf(joins.id, at);
      return [json['state'], json['account_id']];
    };
    expect(await past(then)).toEqual(['active', DANA.accountId]);
    // The test put the token there without an entry, so its history knows no state before the pin.
    expect(await past(world.clock.now())).toEqual([null, null]);
    // Found under the address as before, and pinned to somebody else by a second try.
    const found = await world.lead.get(world.at(`/support?q=${encodeURIComponent(email)}`));
    expect(found.status).toBe(200);
    await world.acts(waits.id, 'pin', { account_id: SAM.accountId });
    expect((await world.row(waits.id)).account_id).toBe(SAM.accountId);
    await world.chainIsWhole();
  });

  test('a pin is not taken back once one of its tokens was revoked, or its new owner changed the app', async () => {
    const first = await pinned();
    await world.acts(first.joins.id, 'revoke');
    expect(await world.whyNot(first.entry)).toBe('The token was revoked since.');
    const after = await first.standing();
    expect((await world.forces(first.entry)).location).toContain('too-late');
    expect(await first.standing()).toEqual(after);
    const second = await pinned();
    const actor = `account:${DANA.accountId}`;
    await addContact(world.context, {
      clientId: second.owned,
      address: 'new@box.example',
      actor,
      requestId: null,
    });
    expect(await world.whyNot(second.entry)).toBe('Its new owner has changed the app since.');
    expect((await world.forces(second.entry)).location).toContain('too-late');
  });

  test('a pin is not taken back while gifts after it stand, even where they led back to the same owner', async () => {
    const { owned, before, standing, entry, email } = await pinned();
    const other = newHexId();
    await upsertAccount(world.db, {
      account_id: other,
      email: `${other}@box.example`,
      name: null,
      timezone: null,
      updated_at: 0,
    });
    const gifts: number[] = [];
    for (const to of [other, DANA.accountId]) {
      const asked = { clientId: owned, to, reason: REASON, actor: 'command', requestId: null };
      expect(await giveApp(world.context, asked)).toHaveProperty('deed');
      gifts.unshift(await world.entry('owner_changed'));
    }
    expect(await world.whyNot(entry)).toBe(
      'The owner of the app was changed again since. Take that change back first.',
    );
    expect((await world.forces(entry)).location).toContain('too-late');
    expect((await appRow(owned)).owner_account_id).toBe(DANA.accountId);
    for (const one of [...gifts, entry]) await world.takesBack(one);
    expect(await standing()).toEqual(before);
    expect((await appRow(owned)).owner_email).toBe(email);
  });

  const cutOver = (clientId: string, before: number, percent: number) =>
    cutOverApp(world.context, { clientId, before, percent, reason: REASON, actor: 'command:test' });

  test('a cut-over is as before, and is not taken back once it was changed again', async () => {
    const { clientId } = await newApp();
    await cutOver(clientId, 0, 10);
    const before = await appRow(clientId);
    world.clock.advance(1000);
    await cutOver(clientId, 10, 60);
    const entry = await world.entry('app_cut_over');
    const page = await world.lead.get(world.at(`/support/apps/${clientId}`));
    expect(wordsOf(page)).toContain('Take back the cut-over');
    await world.takesBack(entry);
    expect(await appRow(clientId)).toEqual(before);
    await cutOver(clientId, 10, 60);
    const changed = await world.entry('app_cut_over');
    world.clock.advance(1000);
    await cutOver(clientId, 60, 70);
    world.clock.advance(1000);
    await cutOver(clientId, 70, 60);
    expect(await world.whyNot(changed)).toBe('The cut-over of the app was changed since.');
    expect((await world.forces(changed)).location).toContain('too-late');
    expect((await appRow(clientId)).cut_over_percent).toBe(60);
  });

  const timeOf = (clientId: string) =>
    world.context.lifecycle.current().extensions.get(clientId)?.sunset ?? null;
  const extend = (clientId: string, until: string) =>
    act(world.lead, world.at(`/support/apps/${clientId}/extend`), { date: 'sunset', until });

  test('more time, another time and its end are taken back one after the other', async () => {
    const { clientId } = await newApp();
    await extend(clientId, '2097-01-01');
    const given = await world.entry('app_extended');
    world.clock.advance(1000);
    await extend(clientId, '2098-01-01');
    const changed = await world.entry('app_extended');
    world.clock.advance(1000);
    await act(world.lead, world.at(`/support/apps/${clientId}/unextend`), { date: 'sunset' });
    const ended = await world.entry('extension_ended');
    expect(timeOf(clientId)).toBeNull();
    expect(await world.whyNot(changed)).toBe('The time for the sunset was changed since.');
    await world.takesBack(ended);
    expect(timeOf(clientId)).toBe(Date.parse('2098-01-01'));
    await world.takesBack(changed);
    expect(timeOf(clientId)).toBe(Date.parse('2097-01-01'));
    expect(await world.whyNot(ended)).toBe('It was taken back already.');
    await world.takesBack(given);
    expect(timeOf(clientId)).toBeNull();
    await world.chainIsWhole();
  });

  test('an agent sees that a lead may take it back, and may not', async () => {
    const { clientId } = await newApp();
    await extend(clientId, '2097-01-01');
    const entry = await world.entry('app_extended');
    await becomes(world.system, 'agent');
    const page = wordsOf(await world.lead.get(world.at(`/support/apps/${clientId}`)));
    expect(page).toContain('The role “lead” can take this back');
    expect((await world.lead.get(world.formOf(entry))).status).toBe(403);
    expect((await world.forces(entry)).status).toBe(403);
    await becomes(world.system, 'lead');
    expect(timeOf(clientId)).toBe(Date.parse('2097-01-01'));
  });

  async function handedOver() {
    const app = await newApp();
    await world.db
      .updateTable('apps')
      .set({ owner_account_id: DANA.accountId })
      .where('client_id', '=', app.clientId)
      .execute();
    await useOwnClient({ bridge: world.system.bridge, app }, OWN_CLIENT);
    const { token, id } = await world.made('issue', 0);
    const taken = await exchange(world.system.bridgeUrl, token);
    expect(taken.status).toBe(200);
    world.clock.advance(1000);
    expect((await confirm(world.system.bridgeUrl, token)).status).toBe(200);
    return { app, token, id, pair: fieldOf(taken, 'refresh_token') };
  }

  test('a confirmation: by the owner, and the app fetches the same pair once more', async () => {
    const { app, token, pair } = await handedOver();
    expect((await exchange(world.system.bridgeUrl, token)).status).toBe(400);
    const page = await world.dana.get(world.at(`/apps/${app.clientId}/move`));
    const entry = await world.entry('handover_confirmed');
    const form = `/apps/${app.clientId}/handovers/${entry}/take-back`;
    expect(page.body).toContain(form);
    const sam = await browserOf(world.system, SAM);
    expect((await sam.get(world.at(form))).status).toBe(404);
    const asked = await world.dana.get(world.at(form));
    const left = await pressIn(world.dana, asked, /Take it back/);
    expect(left.location).toBe(`/apps/${app.clientId}/move?done=taken-back`);
    const again = await exchange(world.system.bridgeUrl, token);
    expect([again.status, fieldOf(again, 'refresh_token')]).toEqual([200, pair]);
    expect((await pressIn(world.dana, asked, /Take it back/)).location).toContain('too-late');
    expect((await confirm(world.system.bridgeUrl, token)).status).toBe(200);
    await world.chainIsWhole();
  });

  test('a confirmation: by support, until the pair is erased', async () => {
    const first = await handedOver();
    await world.takesBack(await world.entry('handover_confirmed'));
    expect((await exchange(world.system.bridgeUrl, first.token)).status).toBe(200);
    expect((await confirm(world.system.bridgeUrl, first.token)).status).toBe(200);
    const entry = await world.entry('handover_confirmed');
    await world.db
      .updateTable('grants')
      .set({ refresh_token_sealed: null, access_token_sealed: null })
      .where('client_id', '=', first.app.clientId)
      .execute();
    expect(await world.whyNot(entry)).toBe('The pair is erased: its seven days here are over.');
    expect((await world.forces(entry)).location).toContain('too-late');
    expect((await exchange(world.system.bridgeUrl, first.token)).status).toBe(400);
  });

  test('seven days later nothing of it is taken back', async () => {
    const { clientId } = await newApp();
    await cutOver(clientId, 0, 10);
    const entries = [await world.entry('app_cut_over')];
    await extend(clientId, '2097-01-01');
    entries.push(await world.entry('app_extended'), (await pinned()).entry);
    await world.passes(7 * DAY);
    for (const entry of entries) {
      expect(await world.whyNot(entry)).toBe('It was done more than seven days ago.');
      expect((await world.forces(entry)).location).toContain('too-late');
    }
    expect((await appRow(clientId)).cut_over_percent).toBe(10);
  });
});
