import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import {
  browserOf,
  consentAt,
  DANA,
  pressIn,
  SAM,
  signIn,
  waitingToken,
  wordsOf,
} from '../owners/support/people.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { known, pageOf, rows, seen, system, ticked, withSeenTokens } from './support/seen-tokens.ts';

/** The wish for another account at the new API outlives a form that comes late, and a choice that is asked for again. */

withSeenTokens();

const ANOTHER = /^Use another account$/;

const promptOf = ({ location }: Page) => new URL(location ?? '').searchParams.get('prompt');

/** Dana chose one of two tokens, and confirmed it as Sam. */
async function confirmedAsSam() {
  const app = await system.registerApp('https://another.example/callback');
  const [stray, other] = [await seen({ names: app.clientId }), await seen({ names: app.clientId })];
  const dana = await browserOf(system, DANA);
  const choice = await dana.get(`${pageOf(app.clientId)}/connect`);
  const left = await pressIn(dana, choice, /^Connect$/, ticked(stray.id));
  const refused = await dana.get(await consentAt(system, left, { person: SAM }));
  return { app, stray, other, dana, refused };
}

async function signOutAndIn(browser: CookieWalker): Promise<void> {
  await pressIn(browser, await browser.get(`${system.bridgeUrl}/apps`), /^Sign out$/);
  await signIn(system, browser);
}

test('a late form keeps the chosen tokens and the wish, says so, and goes out by one more click', async () => {
  const { app, stray, other, dana, refused } = await confirmedAsSam();
  await signOutAndIn(dana);
  const late = await pressIn(dana, refused, ANOTHER);
  expect(late.status).toBe(403);
  expect(wordsOf(late)).toMatch(/Connect the app again.*Tokens 1 chosen Account another one/);
  const left = await pressIn(dana, late, /^Send it again$/);
  expect(promptOf(left)).toBe('login consent');
  const done = await dana.get(await consentAt(system, left, { person: DANA, browser: new CookieWalker() }));
  expect(done.location).toBe(`/apps/${app.clientId}/connected`);
  expect([(await known(stray.token)).state, (await known(other.token)).state]).toEqual([
    'active',
    'unmapped',
  ]);
});

test('where the chosen tokens are gone, the choice that is asked for again keeps the wish', async () => {
  const { stray, other, dana, refused } = await confirmedAsSam();
  await rows().updateTable('mappings').set({ state: 'revoked' }).where('id', '=', stray.id).execute();
  const again = await dana.follow(await pressIn(dana, refused, ANOTHER));
  expect(wordsOf(again)).toContain('Choose at least one.');
  expect(promptOf(await pressIn(dana, again, /^Connect$/, ticked(other.id)))).toBe('login consent');
});

test('a late form with a pasted token leads to a page that keeps the wish', async () => {
  const dana = await browserOf(system, DANA);
  const page = await dana.get(`${system.bridgeUrl}/apps/paste-token?account=another`);
  await signOutAndIn(dana);
  const late = await pressIn(dana, page, /^Compare with my account$/, { token: 'not kept' });
  expect(late.status).toBe(403);
  expect(late.body).toContain('href="/apps/paste-token?account=another"');
});

/** The page after a consent by another account, in a browser where nobody was signed in. */
async function refusedFromLink() {
  const app = await system.registerApp('https://linked.example/callback');
  const pair = { clientId: app.clientId, accountId: DANA.accountId };
  await waitingToken(system, { app, accountId: DANA.accountId });
  const link = await reauthorizationLink(system.bridge.context, pair);
  const browser = new CookieWalker();
  const left = await pressIn(browser, await browser.get(link), /^Connect$/);
  const refused = await browser.get(await consentAt(system, left, { person: SAM }));
  return { browser, refused, link };
}

describe('a mailed link', () => {
  test('keeps the wish for a holder who has signed in since', async () => {
    const { browser, refused } = await refusedFromLink();
    await signIn(system, browser);
    const page = await browser.follow(await pressIn(browser, refused, ANOTHER));
    expect(wordsOf(page)).toContain('not connected to your account');
    expect(promptOf(await pressIn(browser, page, /^Connect$/))).toBe('login consent');
  });

  test('keeps the wish where the form comes late', async () => {
    const { browser, refused, link } = await refusedFromLink();
    const [form] = browser.forms(refused);
    const late = await browser.post(form?.action ?? '', { _form: 'old', account: 'another' });
    expect(late.status).toBe(403);
    const again = `${new URL(link).pathname}?account=another`;
    expect(late.body).toContain(`href="${again}"`);
    const page = await browser.get(system.bridgeUrl + again);
    expect(promptOf(await pressIn(browser, page, /^Connect$/))).toBe('login consent');
  });
});
