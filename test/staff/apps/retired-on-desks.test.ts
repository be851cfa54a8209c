import { newestUnconfirmed } from '../../../src/domain/handover/unconfirmed.ts';
import { type Desk, deskCounts } from '../../../src/domain/support/desks.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { changeRetired } from '../../../src/store/apps/apps.ts';
import { waitingToken, wordsOf } from '../../owners/support/people.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { migratedDatabase } from '../../support/database/migrated.ts';
import { databaseKinds } from '../../support/jest/test-mode.ts';
import { keyFor, programOf, type Program } from '../../staff-api/support/api-client.ts';
import { linesOf } from '../support/desk-rows.ts';
import { unreachedMail } from '../support/actions.ts';
import { deadGrant, keepGrant } from '../support/grants.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** What is of a retired app alone stands on no desk, and a desk never leads to a step that a retired app refuses. */

const NOON = Date.parse('2026-11-22T12:00:00Z');
const RETIRED = 'the app is retired';

describe.each(databaseKinds)('on %s', (kind) => {
  const clock = new SettableClock(NOON);
  let system: System;
  let sam: CookieWalker;
  let program: Program;
  let drop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const database = kind === 'postgres' ? await migratedDatabase() : undefined;
    drop = database && (() => database.drop());
    system = await startSystem({ clock, ...(database && { env: { DATABASE_URL: database.url } }) });
    sam = await staffBrowser(system, 'lead');
    program = programOf(system, (await keyFor(system, 'reader')).key);
  });
  afterAll(async () => {
    await system.stop();
    await drop?.();
  });

  const db = () => system.bridge.context.store.durable;

  const newApp = () => system.registerApp('https://a.example/callback');
  const retire = (clientId: string) => changeRetired(db(), clientId, { from: null, to: NOON });
  const takeBack = (clientId: string) => changeRetired(db(), clientId, { from: NOON, to: null });

  async function open(address: string): Promise<Page> {
    const page = await sam.get(`${system.bridgeUrl}/support/desks/${address}`);
    expect(page.status).toBe(200);
    return page;
  }

  const linesIn = async (address: string) => linesOf(await open(address));

  /** How many rows a desk has: by its count, on its page, and in the answer of the API. */
  async function told(desk: Desk): Promise<number[]> {
    const counts = await deskCounts(system.bridge.context, 'UTC');
    const { rows } = (await program.get(`/desks/${desk}`)).json as { rows: unknown[] };
    return [
      counts.find((one) => one.desk === desk)?.count ?? -1,
      linesOf(await open(`${desk}${desk === 'died-today' ? '?zone=UTC' : ''}`)).length,
      rows.length,
    ];
  }

  test('a connection that ended waits for nobody, and its row says why', async () => {
    const { clientId, mappingId } = await deadGrant(system, 'refused', NOON);
    expect(await told('died-today')).toEqual([1, 1, 1]);
    await retire(clientId);
    expect(await told('died-today')).toEqual([0, 0, 0]);
    const all = await open('died-today?zone=UTC&cause=refused');
    expect(linesOf(all)).toEqual([expect.stringContaining(RETIRED)]);
    expect(all.body).not.toContain(`/support/mappings/${mappingId}/link"`);
    await takeBack(clientId);
    expect(await told('died-today')).toEqual([1, 1, 1]);
    expect((await open('died-today?zone=UTC')).body).toContain(`/support/mappings/${mappingId}/link"`);
  });

  test('a hand-over waits for nobody, for the app cannot confirm it, until it lives again', async () => {
    const handed = { handed_at: NOON - DAY, confirmed_at: null, version: 1, migrated_tokens: 1 };
    const { id, clientId, accountId } = await keepGrant(system, { state: 'dead', dead_cause: 'handed_over' });
    await db()
      .insertInto('handovers')
      .values({ ...handed, grant_id: id, client_id: clientId, account_id: accountId })
      .execute();
    const everywhere = async () => {
      const { pairs } = await newestUnconfirmed(system.bridge.context, 100);
      const { handovers } = (await program.get('/handovers')).json as { handovers: unknown[] };
      return [...(await told('hand-overs')), pairs.length, handovers.length];
    };
    expect(await everywhere()).toEqual([1, 1, 1, 1, 1]);
    await retire(clientId);
    expect(await everywhere()).toEqual([0, 0, 0, 0, 0]);
    await takeBack(clientId);
    expect(await everywhere()).toEqual([1, 1, 1, 1, 1]);
  });

  test('a mail that reached nobody can be marked as dealt with, and leads to a token of another app alone', async () => {
    const [given, other] = [await newApp(), await newApp()];
    const person = 'email:unreached@box.example';
    const email = 'unreached@box.example';
    const { id: ofGiven } = await waitingToken(system, { app: given, email });
    const { id: ofOther } = await waitingToken(system, { app: other, email });
    const mailId = await unreachedMail(system, person, [given.clientId]);
    const steps = async () => {
      const { body } = await open('undeliverable');
      return [...body.matchAll(/\/support\/(?:mappings|mails)\/(\w+)\/(?:remind|settle)"/g)].map(
        ([, id]) => id,
      );
    };
    expect(await steps()).toEqual([ofGiven, mailId]);
    await retire(given.clientId);
    expect(await steps()).toEqual([mailId]);
    expect(linesOf(await open('undeliverable'))).toEqual([
      expect.stringMatching(/Nobody has to be reached: the app is retired.* Mark as dealt with$/),
    ]);
    await db().deleteFrom('reminders').execute();
    await db().deleteFrom('mails').execute();
    const both = await unreachedMail(system, person, [given.clientId, other.clientId]);
    expect(await steps()).toEqual([ofOther, both]);
    expect(wordsOf(await open('undeliverable'))).toContain('Find another way to reach this person.');
    await takeBack(given.clientId);
    await retire(other.clientId);
    expect(await steps()).toEqual([ofGiven, both]);
    await takeBack(other.clientId);
    await db().deleteFrom('reminders').execute();
    await db().deleteFrom('mails').execute();
    await db().deleteFrom('mappings').where('id', 'in', [ofGiven, ofOther]).execute();
    await db().deleteFrom('waiting_names').execute();
  });

  test('a name waits for its tokens of apps that live, and one that has none left is gone', async () => {
    const [given, other] = [await newApp(), await newApp()];
    const ids = [];
    for (const app of [given, given, other])
      ids.push((await waitingToken(system, { app, email: 'both@list.example' })).id);
    await waitingToken(system, { app: given, email: 'alone@list.example' });
    const { id: old } = await waitingToken(system, { app: given });
    await db().updateTable('mappings').set({ legacy_account_id: 'old-1' }).where('id', '=', old).execute();
    const all = await told('no-account');
    expect(all).toEqual([3, 3, 3]);
    expect(linesOf(await open('no-account'))[0]).toMatch(/^both@list\.example 3 tokens 1\//);
    await retire(given.clientId);
    expect(await told('no-account')).toEqual([1, 1, 1]);
    const page = await open('no-account');
    expect(linesOf(page)).toEqual([
      expect.stringMatching(/^both@list\.example 1 token and 2 of retired apps 1\//),
    ]);
    for (const step of ['remind', 'pin']) expect(page.body).toContain(`/support/mappings/${ids[2]}/${step}"`);
    expect(linesOf(await open('no-account?find=alone'))).toEqual([]);
    await takeBack(given.clientId);
    expect(await told('no-account')).toEqual(all);
  });

  test('a connection in doubt is settled all the same, and nobody is said to be served or asked', async () => {
    const doubt = { state: 'in_doubt', doubt_since: NOON, presented_at: NOON } as const;
    const { clientId } = await keepGrant(system, doubt);
    const { clientId: ended } = await keepGrant(system, { ...doubt, access_expires_at: NOON - DAY });
    expect(await linesIn('in-doubt')).toEqual([
      expect.stringMatching(/503.* is asked to connect again\.$/),
      expect.stringMatching(/answered until then.* is asked to connect again\.$/),
    ]);
    for (const id of [clientId, ended]) await retire(id);
    for (const line of await linesIn('in-doubt')) {
      expect(line).toMatch(/its calls are refused\. Once the access token has ended, .* once more, unless/);
      expect(line).not.toMatch(/answered|503|is asked/);
    }
    expect(await told('in-doubt')).toEqual([2, 2, 2]);
  });
});
