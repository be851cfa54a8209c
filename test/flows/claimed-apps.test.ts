import { assignByHand } from '../../src/domain/tokens/assign-token.ts';
import { exemptApp } from '../../src/domain/lifecycle/changes/exempt-app.ts';
import { extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { planBrownout } from '../../src/domain/lifecycle/changes/plan-brownout.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { consentAt, DANA, pressIn, SAM, wordsOf } from '../owners/support/people.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import {
  call,
  clock,
  connect,
  connectedApp,
  dana,
  eventsOf,
  grantOf,
  known,
  LIMIT,
  MINUTE,
  nobodys,
  old,
  pageOf,
  rows,
  sams,
  seen,
  statusOf,
  system,
  ticked,
  withSeenTokens,
} from './support/seen-tokens.ts';

/** The app that a call names is a claim, without any force. */

withSeenTokens();

describe('an app that a call names', () => {
  test('is kept beside the token, at first or later, and the first one stays', async () => {
    const [atFirst, later] = [await seen({ names: system.app.clientId }), await seen()];
    const other = await system.registerApp('https://other.example/callback');
    for (const named of ['nobody', later.clientId, system.app.clientId, other.clientId]) {
      await call(later.token, `/1/user.json?client_id=${named}`);
      // In this process it joins the work that the call began.
      await system.bridge.context.flights.run(`claim ${later.id}`, async () => undefined);
    }
    for (const { token, clientId } of [atFirst, later]) {
      const claim = { client_id: clientId, claimed_client_id: system.app.clientId };
      expect(await known(token)).toMatchObject({ ...claim, state: 'unmapped', app_proven: 0 });
      const { source } = await rows()
        .selectFrom('apps')
        .select('source')
        .where('client_id', '=', clientId)
        .executeTakeFirstOrThrow();
      expect(source).toBe('observed');
    }
    expect((await eventsOf(later.id)).map(({ action }) => action)).toEqual(['token_observed', 'app_claimed']);
  });

  test('is not ended by the token: that ends alone, and the history says that the token did it', async () => {
    const { app, token } = await connectedApp();
    const { token: waiting } = await addWaitingToken(system.bridge, {
      clientId: app.clientId,
      accountId: DANA.accountId,
    });
    const stray = await seen({ names: app.clientId });
    expect((await call(stray.token, '/1/user/deauthorize.json')).status).toBe(200);
    expect((await known(stray.token)).state).toBe('revoked');
    expect(await statusOf(token)).toBe(200);
    expect((await known(waiting)).state).toBe('unmapped');
    expect(await grantOf(app.clientId)).toMatchObject({ state: 'ready' });
    const events = await eventsOf(stray.id);
    expect(events.at(-1)).toMatchObject({ actor: `token:${stray.id}`, action: 'token_revoked' });
    const ends = await rows()
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'deauthorized')
      .where('client_id', '=', app.clientId)
      .execute();
    expect(ends).toEqual([]);
  });

  test('keeps its limit: the token has one of its own', async () => {
    const { app, token } = await connectedApp();
    const agent = `shared-${newHexId()}`;
    const [stray, other] = [await seen({ names: app.clientId, agent }), await seen({ agent })];
    clock.advance(MINUTE + 1);
    const statuses: number[] = [];
    for (let n = 0; n <= LIMIT; n++) statuses.push(await statusOf(stray.token));
    expect(statuses).toEqual([...Array.from({ length: LIMIT }, () => 200), 429]);
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(other.token)).toBe(200);
  });

  test('lends the token neither its exemption from brownouts nor its extra time', async () => {
    const app = await system.registerApp(`https://${newHexId()}.example/callback`);
    const { token: own } = await addWaitingToken(system.bridge, { clientId: app.clientId });
    old.addToken(nobodys.user.id, own);
    const stray = await seen({ names: app.clientId });
    const { context } = system.bridge;
    const [now, by] = [clock.now(), { actor: 'test', reason: 'so' }];
    await exemptApp(context, { clientId: app.clientId, until: now + 10 * MINUTE, ...by });
    const times = { startsAt: now + MINUTE, endsAt: now + 2 * MINUTE };
    await planBrownout(context, { rehearses: 'retirement', ...times, text: 'A test outage.', actor: 'test' });
    clock.advance(MINUTE + 1);
    await context.lifecycle.refresh();
    expect([await statusOf(own), await statusOf(stray.token)]).toEqual([200, 401]);
    clock.advance(MINUTE);
    await context.lifecycle.refresh();
    expect(await statusOf(stray.token)).toBe(200);
    const asked = { clientId: stray.clientId, until: now + 10 * MINUTE, ...by };
    await expect(exemptApp(context, asked)).rejects.toThrow('No app that was registered or imported');
    const more = { ...asked, name: 'retirement' } as const;
    await expect(extendApp(context, more)).rejects.toThrow('No app that was registered or imported');
  });

  test('takes the token along in a consent that lists it, if the person ticks it, and in no other one', async () => {
    const { app, token } = await connectedApp();
    const stray = await seen({ names: app.clientId });
    await issueToken(system, { app });
    expect(await known(stray.token)).toMatchObject({ state: 'unmapped', client_id: stray.clientId });
    const overview = await dana.get(pageOf(app.clientId));
    expect(wordsOf(overview)).toContain('Calls with another token of yours name this app');
    const page = await dana.get(`${pageOf(app.clientId)}/connect`);
    expect(wordsOf(page)).toContain(stray.token.slice(2, 6));
    expect(page.body).not.toContain('checked');
    expect(wordsOf(await connect(page))).toContain('Nothing was connected. Choose at least one.');
    // It appears after the page was shown, and one of another person is put into the form.
    const [late, ofSam] = [
      await seen({ names: app.clientId }),
      await seen({ owner: sams, names: app.clientId }),
    ];
    const done = await connect(page, ticked(stray.id, ofSam.id));
    expect(done.url).toBe(`${pageOf(app.clientId)}/connected`);
    expect(await known(stray.token)).toMatchObject({ state: 'active', client_id: app.clientId });
    for (const other of [late, ofSam])
      expect(await known(other.token)).toMatchObject({ state: 'unmapped', client_id: other.clientId });
    const assigned = {
      actor: `account:${DANA.accountId}`,
      action: 'token_assigned',
      client_id: app.clientId,
    };
    expect(await eventsOf(stray.id)).toContainEqual(assigned);
    expect([await statusOf(token), await statusOf(stray.token)]).toEqual([200, 200]);
    // It is the app's own from here on, and may end it.
    expect((await call(stray.token, '/1/user/deauthorize.json')).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  test('stays ticked where the consent was by another account: the next one connects what was chosen', async () => {
    const { app } = await connectedApp();
    const [stray, other] = [await seen({ names: app.clientId }), await seen({ names: app.clientId })];
    const page = await dana.get(`${pageOf(app.clientId)}/connect`);
    const left = await pressIn(dana, page, /^Connect$/, ticked(stray.id));
    const refused = await dana.get(await consentAt(system, left, { person: SAM }));
    const again = await pressIn(dana, refused, /^Use another account$/);
    const done = await dana.get(await consentAt(system, again, { person: DANA }));
    expect(done.location).toBe(`/apps/${app.clientId}/connected`);
    expect([(await known(stray.token)).state, (await known(other.token)).state]).toEqual([
      'active',
      'unmapped',
    ]);
  });

  test('is shown with the days alone, and what a person left out is not ticked again', async () => {
    const stray = await seen();
    await rows()
      .updateTable('mappings')
      .set({ last_used_at: Date.parse('2026-11-22') })
      .where('id', '=', stray.id)
      .execute();
    const page = await dana.get(`${pageOf(stray.clientId)}/connect`);
    expect(wordsOf(page)).toContain('last used 22 Nov 2026 ');
    expect(wordsOf(page)).toMatch(/First seen \d+ \w+ \d+ , last used/);
    expect(wordsOf(page)).not.toContain('the same name');
    expect(page.body).toContain(' checked');
    const again = await dana.get(`${pageOf(stray.clientId)}/connect?nothing`);
    expect(wordsOf(again)).toContain('Choose at least one.');
    expect(again.body).not.toContain(' checked');
  });

  test('can be proven by support, who can take that back', async () => {
    const { app } = await connectedApp();
    const other = await system.registerApp(`https://${newHexId()}.example/callback`);
    const stray = await seen({ names: other.clientId });
    const assign = (clientId: string) =>
      assignByHand(system.bridge.context, {
        mappingId: stray.id,
        clientId,
        reason: 'the holder said so',
        actor: 'command',
        requestId: null,
      });
    expect(await assign(other.clientId)).toMatchObject({ outcome: 'assigned', state: 'unmapped' });
    expect(await assign(app.clientId)).toMatchObject({ outcome: 'assigned', state: 'active' });
    expect(await assign(app.clientId)).toEqual({ outcome: 'identified', app: app.clientId });
    const back = await assign(stray.clientId);
    expect(back).toMatchObject({ outcome: 'assigned', state: 'reauthorization_required', alone: false });
    expect(await known(stray.token)).toMatchObject({ client_id: stray.clientId, grant_id: null });
    expect(await grantOf(app.clientId)).toMatchObject({ state: 'ready' });
  });

  test('has all its tokens counted on the page of the app, however many there are', async () => {
    const { app } = await connectedApp();
    const { clientId } = await seen();
    for (let n = 0; n < 103; n++)
      await addWaitingToken(system.bridge, { clientId, accountId: DANA.accountId, source: 'observed' });
    await rows()
      .updateTable('mappings')
      .set({ claimed_client_id: app.clientId, claimed_at: clock.now() })
      .where('client_id', '=', clientId)
      .where('claimed_client_id', 'is', null)
      .execute();
    expect(wordsOf(await dana.get(pageOf(app.clientId)))).toContain('Calls with 104 other tokens of yours');
  });
});
