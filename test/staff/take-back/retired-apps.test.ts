import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAppsCommand } from '../../../src/cli/commands/apps/apps.ts';
import { retire } from '../../../src/cli/commands/apps/retire.ts';
import { undoEntry } from '../../../src/cli/commands/history/undo.ts';
import { importTokens } from '../../../src/cli/commands/tokens/tokens.ts';
import { retireApp } from '../../../src/domain/apps/retire-app.ts';
import { reportLeaks } from '../../../src/domain/leaks/report-leaks.ts';
import { planLeakMails } from '../../../src/domain/reminders/leaked/plan-leak-mails.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { DANA, pressIn, wordsOf } from '../../owners/support/people.ts';
import { confirm, exchange, OWN_CLIENT, useOwnClient } from '../../exchange/support/own-client.ts';
import { type RegisteredApp, registerLegacyApp } from '../../support/bridge/register-app.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { exchange as exchangeCode, freshCode, issueToken, read } from '../../support/callers/legacy-calls.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { act } from '../support/actions.ts';
import { TakeBackWorld } from './support/take-back-world.ts';

/** An app that the operator retires is refused everywhere, nothing ends at the new API, and it can be taken back. */

const UNKNOWN = 'a'.repeat(24);
const PATHS = ['/1/user.json', '/1/profiles.json'];

describe.each(databaseKinds)('on %s', (kind) => {
  const world = new TakeBackWorld();
  let app: RegisteredApp;
  beforeAll(() => world.startOn(kind));
  afterAll(() => world.stop());
  beforeEach(async () => {
    app = await registerLegacyApp(
      world.system.bridge,
      `https://${newHexId()}.example/callback`,
      DANA.accountId,
    );
  });

  const retires = (clientId = app.clientId, reason = 'given up') =>
    world.command(() => retire({ reason, by: 'Kim' }, [clientId]));
  const undo = async () => {
    const entry = await world.entry('app_retired');
    return world.command(() => undoEntry({ reason: 'not yet', by: 'Kim' }, [String(entry)]));
  };
  const rows = async () => ({
    app: await world.db
      .selectFrom('apps')
      .selectAll()
      .where('client_id', '=', app.clientId)
      .executeTakeFirstOrThrow(),
    tokens: await world.rows(),
    grants: await world.db.selectFrom('grants').select(['id', 'state', 'version']).orderBy('id').execute(),
  });
  const authorizePath = () => {
    const asked = { client_id: app.clientId, redirect_uri: app.callback, response_type: 'code' };
    return world.at(`/oauth2/authorize?${new URLSearchParams(asked).toString()}`);
  };
  const imported = (row: object) => {
    const file = join(world.folder, 'one.ndjson');
    writeFileSync(file, JSON.stringify(row));
    return world.command(() => importTokens({}, [file]));
  };
  /** What an app meets at each of its addresses: calls, authorize, token.json, the exchange of its client, its pages. */
  async function answers(token: string, code: string) {
    const { status } = await new CookieWalker().get(authorizePath());
    const calls = [];
    for (const path of PATHS) calls.push((await read(world.system, path, token)).status);
    return {
      calls,
      authorize: status,
      code: (await exchangeCode(world.system, code, app)).status,
      owner: (await world.dana.get(world.at(`/apps/${app.clientId}/secrets`))).status,
    };
  }

  test('it is refused at every address from the next call on, no connection ends, and all is as before once that is taken back', async () => {
    await useOwnClient({ bridge: world.system.bridge, app }, OWN_CLIENT);
    const code = () => freshCode(world.system, { app });
    const token = await issueToken(world.system, { app });
    expect(await answers(token, await code())).toEqual({
      calls: [200, 200],
      authorize: 302,
      code: 200,
      owner: 200,
    });
    const open = await code();
    const before = await rows();
    const retired = await retires();
    expect(retired).toMatchObject({ ok: true, json: { client_id: app.clientId, changed: true } });
    expect(retired.lines.join(' ')).toContain('Its connections stay at the new API');
    expect(await answers(token, open)).toEqual({
      calls: [401, 401],
      authorize: 400,
      code: 400,
      owner: 404,
    });
    const handed = await exchange(world.system.bridgeUrl, token);
    expect([handed.status, handed.json]).toEqual([400, expect.objectContaining({ error: 'invalid_client' })]);
    expect(
      await imported({ type: 'token', access_token: `1/${'7'.repeat(32)}`, client_id: app.clientId }),
    ).toMatchObject({ json: { refused: 1 } });
    const { grants, tokens } = await rows();
    expect({ grants, tokens }).toEqual({ grants: before.grants, tokens: before.tokens });
    expect(world.system.proxy.revoked()).toEqual([]);
    expect((await world.command(() => listAppsCommand())).lines.join(' ')).toContain('retired: ');

    const undone = await undo();
    expect(undone).toMatchObject({ ok: true, json: { what: 'retire', changes: 1 } });
    expect(await rows()).toEqual(before);
    expect(await answers(token, await code())).toMatchObject({ calls: [200, 200], code: 200, owner: 200 });
    await world.chainIsWhole();
  });

  test('a second time, an unknown app, a program that nobody registered and no reason change nothing', async () => {
    const { id } = await world.made('observe', 0);
    const program = (await world.row(id)).client_id;
    await retires();
    const count = (await world.entries()).length;
    expect(await retires()).toMatchObject({ ok: true, json: { changed: false } });
    await expect(retires(UNKNOWN)).rejects.toThrow('No app that was registered');
    await expect(retires(program)).rejects.toThrow('No app that was registered');
    await expect(retires(app.clientId, ' ')).rejects.toThrow('reason: 1 to 500 printable characters');
    expect(await world.entries()).toHaveLength(count);
  });

  test('a pair that its client has is confirmed once it is taken back, and not before', async () => {
    await useOwnClient({ bridge: world.system.bridge, app }, OWN_CLIENT);
    const token = await issueToken(world.system, { app });
    const { bridgeUrl } = world.system;
    expect((await exchange(bridgeUrl, token)).status).toBe(200);
    await retires();
    expect((await confirm(bridgeUrl, token)).status).toBe(400);
    await undo();
    expect((await confirm(bridgeUrl, token)).status).toBe(200);
  });

  test('holder and owner are told of a leak once it is taken back, and nobody before', async () => {
    const token = await issueToken(world.system, { app });
    await retires();
    const reports = [{ token, found: 'https://code.example/x' }];
    await reportLeaks(world.context, { reports, grace: 0 }, { actor: 'leaks:key', requestId: null });
    const told = async () => {
      // A token is marked as told by the turn after the one that planned its mails.
      for (let turn = 0; turn < 2; turn += 1) await planLeakMails(world.context);
      const ofApp = world.db.selectFrom('reminders').select('role').where('client_id', '=', app.clientId);
      return (await ofApp.orderBy('role').execute()).map(({ role }) => role);
    };
    expect(await told()).toEqual([]);
    await undo();
    expect(await told()).toEqual(['holder', 'owner']);
  });

  test('of several at once one retires it', async () => {
    const asked = { clientId: app.clientId, reason: 'at once', actor: 'command', requestId: null };
    const all = await Promise.all(Array.from({ length: 5 }, () => retireApp(world.context, asked)));
    expect(all.filter((one) => typeof one !== 'string' && one.deed !== undefined)).toHaveLength(1);
  });

  test('a person who has the approval page open cannot allow it any more', async () => {
    const browser = new CookieWalker();
    const page = await browser.follow(await browser.get(authorizePath()));
    await retires();
    const late = await pressIn(browser, page, /allow/i);
    expect([late.status, wordsOf(late)]).toEqual([404, expect.stringContaining('expired')]);
  });

  test('the page of support says so, offers no action on the app but the way back, and its tokens can be revoked', async () => {
    world.secrets.push(await issueToken(world.system, { app }));
    const id = (await world.known(world.secrets.length - 1))?.id ?? '';
    await issueToken(world.system, { app });
    await retires();
    const address = world.at(`/support/apps/${app.clientId}`);
    const page = await world.lead.get(address);
    expect(wordsOf(page)).toContain('The app is retired: its tokens are refused.');
    expect(wordsOf(page)).toContain('Take back that the app was retired');
    for (const label of ['Give more time', 'Give it to another account'])
      expect(page.body).not.toContain(label);
    await world.acts(id, 'revoke', { reason: 'ends with its app' });
    expect((await world.row(id)).state).toBe('revoked');
    expect(await world.whyNot(await world.entry('token_revoked', id))).toBe(
      'The app that it goes back to is retired.',
    );
    const taken = await act(world.lead, world.formOf(await world.entry('app_retired')), {
      reason: 'too early',
    });
    expect(taken.location).toBe(`/support/apps/${app.clientId}?done=taken-back`);
    expect((await rows()).app.retired_at).toBeNull();
    expect((await world.row(id)).state).toBe('revoked');
  });
});
