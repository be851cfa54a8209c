import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { browserOf, wordsOf } from './support/people.ts';

/** The pages after a sign-out lead to the sign-out of the new API. Strangers may open them, so they ask it nothing. */

let system: System;

beforeEach(async () => {
  system = await startSystem();
});

afterEach(() => system.stop());

const at = (path: string) => `${system.bridgeUrl}${path}`;
const open = async (path: string) => new CookieWalker().get(at(path));

/** Everything that is asked of the new API beside tokens and reads. */
function countDiscoveries(): () => number {
  let asked = 0;
  system.proxy.insteadOfOther = ({ path }) => {
    if (!path.startsWith('/.well-known')) return undefined;
    asked += 1;
    return { status: 503, headers: {}, body: Buffer.from('{}') };
  };
  return () => asked;
}

test('strangers who open the page cause no call to the new API', async () => {
  const asked = countDiscoveries();
  const pages = await Promise.all(
    ['/sign-out', '/apps/account/signed-out'].flatMap((path) => [open(path), open(path)]),
  );
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(asked()).toBe(0);
});

test('sign-ins that come back together ask once for its metadata, and not again at once after a failure', async () => {
  const asked = countDiscoveries();
  const { server } = system.bridge.context;
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => server.metadata()));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['rejected']));
  await expect(server.metadata()).rejects.toThrow('cannot be read');
  expect(asked()).toBe(1);
});

/** The link to the sign-out there, when the new API names this page for it. */
async function leadsTo(endSession: string): Promise<string | undefined> {
  system.proxy.onOtherAnswer = ({ path }, answer) => {
    if (!path.startsWith('/.well-known')) return answer;
    const document = { ...(JSON.parse(answer.body.toString()) as object), end_session_endpoint: endSession };
    return {
      ...answer,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(document)),
    };
  };
  await browserOf(system);
  const page = await new CookieWalker().get(at('/sign-out'));
  expect(wordsOf(page)).toContain('You may still be signed in on the account page');
  return /href="([^"]*)">Sign out there/.exec(page.body)?.[1];
}

test('a page of the new API for it is named, after any sign-in', async () => {
  const page = `${system.proxy.origin}/logout`;
  expect(await leadsTo(page)).toBe(`${page}?client_id=${system.bridge.context.server.clientId}`);
});

test.each([
  ['of another kind', (origin: string) => `blob:${origin}/x`],
  ['with a user name', (origin: string) => origin.replace('//', '//user:word@')],
])('an address %s is none, though its origin is the right one', async (_what, address) => {
  expect(await leadsTo(address(system.proxy.origin))).toBe(system.bridge.context.settings.modernSettingsUrl);
});
