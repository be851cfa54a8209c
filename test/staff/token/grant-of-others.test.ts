import { newHexId } from '../../../src/shared/ids.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, SAM, waitingToken, wordsOf } from '../../owners/support/people.ts';
import { act, unidentifiedApp } from '../support/actions.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** A token that waits beside the connection of other tokens, and what a link does for a program. */

let system: System;
let sam: CookieWalker;

beforeAll(async () => {
  system = await startSystem();
  await browserOf(system, DANA);
  sam = await staffBrowser(system, 'agent');
});
afterAll(() => system.stop());

const db = () => system.bridge.context.store.durable;
const at = async (path: string) => wordsOf(await sam.get(`${system.bridgeUrl}/support/${path}`));

test('the grant of other tokens is not shown as the grant of a token that waits', async () => {
  const app = await system.registerApp('https://beside.example/callback');
  await issueToken(system, { app });
  const { id: own, grant_id: grantId } = await db()
    .selectFrom('mappings')
    .select(['id', 'grant_id'])
    .where('client_id', '=', app.clientId)
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow();
  const { id } = await waitingToken(system, { app, accountId: DANA.accountId });
  const page = await at(`mappings/${id}`);
  expect(page).toContain(String(grantId));
  expect(page).toContain('This token does not stand on it: it is the live grant of this app and account.');
  expect(await at(`mappings/${own}`)).not.toContain('This token does not stand on it');
  await db().updateTable('grants').set({ state: 'dead' }).where('client_id', '=', app.clientId).execute();
  expect(await at(`mappings/${id}`)).toContain('it is the last grant of this app and account.');
});

test('a link connects all tokens of an app, but of a program those that its holder chooses', async () => {
  const accountId = newHexId();
  const waiting = (app = system.app) => waitingToken(system, { app, accountId });
  const told = async (id: string) => {
    const asked = await at(`mappings/${id}/link`);
    const made = await act(sam, `${system.bridgeUrl}/support/mappings/${id}/link`);
    return [asked, wordsOf(made)].map(
      (words) =>
        words.includes('chooses there works again') || words.includes('that they choose there works again'),
    );
  };
  expect(await told((await waiting()).id)).toEqual([false, false]);
  expect(await at(`accounts/${accountId}`)).toContain('One link connects all tokens of an app.');
  const program = { ...system.app, clientId: await unidentifiedApp(system) };
  expect(await told((await waiting(program)).id)).toEqual([true, true]);
  expect(await at(`accounts/${accountId}`)).toContain(
    'all tokens of an app, but of an unidentified program each token that its holder chooses.',
  );
  await waitingToken(system, { app: program, accountId: SAM.accountId });
  expect(await at(`accounts/${SAM.accountId}`)).toContain(
    'One link connects each token of an unidentified program that its holder chooses.',
  );
});
