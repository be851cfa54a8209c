import { addKeys } from '../../../src/domain/keys/add-keys.ts';
import { activateKey } from '../../../src/domain/keys/activate-key.ts';
import { dropKey } from '../../../src/domain/keys/drop-key.ts';
import { LONGEST_STATE, openRequest } from '../../../src/domain/authorization/request-authorization.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { PURPOSES } from '../../../src/shared/secrets.ts';
import { removeKeyFromFile } from '../../../src/store/files/keys-file.ts';
import { approvalAddress, authorizePath, openApproval } from '../../endpoints/support/authorize-address.ts';
import { CALLBACK, openDoor } from '../../endpoints/support/door.ts';
import { getFrom, Stranger } from '../../endpoints/support/strangers.ts';
import { consentAt, DANA } from '../../owners/support/people.ts';
import { walkUntil } from '../../support/callers/authorize.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import {
  copyKeys,
  dropBySql,
  type KeyDoor,
  openBeside,
  openKeyDoor,
  settingsBeside,
} from '../../support/bridge/key-door.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

/** What a stranger can make the bridge keep: nothing durable before a person has decided, and little beside it. */

let door: KeyDoor;

beforeAll(async () => {
  door = await openKeyDoor({ TRUST_PROXY: '127.0.0.1' });
});

afterAll(() => door.stop());

const at = (path: string) => `${door.bridgeUrl}${path}`;
const durable = () => door.bridge.context.store.durable;

const from = (path: string) => getFrom(door.bridgeUrl, { path });

const opened = (changes = {}, browser: CookieWalker = new Stranger()) => openApproval(door, changes, browser);

const decide = ({ browser, page, field }: Awaited<ReturnType<typeof opened>>, decision: string) =>
  browser.post(page.url, { _form: field, decision });

/** Jobs write these when they like. */
const OF_JOBS = /^(key_holders|progress.*|last_use_reading)$/;

/** How many rows each table of the durable database has. */
async function durableRows(): Promise<Record<string, number>> {
  const tables = await durable().introspection.getTables();
  const counts = tables
    .filter(({ name }) => !OF_JOBS.test(name))
    .map(async ({ name }) => {
      const rows = await durable()
        .selectFrom(name as 'apps')
        .selectAll()
        .execute();
      return [name, rows.length] as const;
    });
  return Object.fromEntries(await Promise.all(counts));
}

describe('before a person has decided', () => {
  test('an authorization request, its page and a sign-in keep no durable row', async () => {
    const before = await durableRows();
    for (let round = 0; round < 5; round += 1) {
      await opened({ state: 's'.repeat(LONGEST_STATE) });
      expect((await new Stranger().get(at('/sign-in'))).location).toContain('/auth?');
    }
    expect(await durableRows()).toEqual(before);
  });

  test('the decision is the one row, and a denial keeps no state', async () => {
    const before = await durableRows();
    const open = await opened({ state: 'of the app' });
    expect(await decide(open, 'deny')).toMatchObject({ status: 302 });
    const after = await durableRows();
    expect(after).toEqual({
      ...before,
      authorization_requests: (before['authorization_requests'] ?? 0) + 1,
    });
    const row = durable().selectFrom('authorization_requests').selectAll().where('id', '=', open.id);
    expect(await row.executeTakeFirst()).toMatchObject({ phase: 'denied', state_sealed: null });
  });
});

const ask = (state: string) => from(`${authorizePath(door.app)}&state=${state}`);

describe('the size of a request', () => {
  test.each([
    ['letters', 's'.repeat(LONGEST_STATE)],
    ['characters that grow where they are written down', '`\\"|'.repeat(LONGEST_STATE / 4)],
  ])('a state of 2,048 bytes of %s makes an address far below 8 kB', async (_what, state) => {
    const { status, headers } = await ask(state);
    expect(status).toBe(302);
    expect(headers.location).toMatch(approvalAddress(door.bridgeUrl));
    expect(headers.location?.length).toBeLessThan(6000);
  });

  test('a state of 2,049 bytes goes back to the app as invalid_request, with the state', async () => {
    const state = 's'.repeat(LONGEST_STATE + 1);
    const { status, headers } = await ask(state);
    expect(status).toBe(302);
    expect(headers.location).toBe(`${CALLBACK}?error=invalid_request&state=${state}`);
  });

  test('the longest state comes back byte for byte after a whole consent', async () => {
    const state = '%C3%A9'.repeat(341);
    const start = at(`${authorizePath(door.app)}&state=${state}`);
    const browser = new Stranger();
    const { location } = await walkUntil(start, { browser, person: door.person, until: CALLBACK });
    expect(location).toMatch(/\?code=1\/[A-Za-z0-9]{32}&state=/);
    expect(location.endsWith(`&state=${state}`)).toBe(true);
  });
});

const sealedElsewhere = () =>
  door.bridge.context.vault.seal('another place', JSON.stringify({ id: newHexId() }));

const expectNothing = (answer: RawAnswer) => {
  expect(answer.status).toBe(404);
  expect(answer.headers['set-cookie']).toBeUndefined();
};

describe('an address that the bridge did not make', () => {
  test.each([
    ['an id', () => newHexId()],
    ['words', () => 'unknown'],
    ['a key that nobody knows', () => `k999.${'A'.repeat(300)}`],
    ['a known key and nothing behind it', () => 'k1.'],
    ['a known key and noise', () => `k1.${'A'.repeat(300)}`],
    ['a value that was sealed for another purpose', sealedElsewhere],
    ['something as long as a header may be', () => `k1.${'A'.repeat(9000)}`],
  ])('%s opens no page and sets no cookie', async (_what, made) => {
    expectNothing(await from(`/approve/${made()}`));
  });

  test('one that was changed in any part opens no page', async () => {
    const { headers } = await from(authorizePath(door.app));
    const { pathname } = new URL(headers.location ?? '');
    const start = '/approve/k1.'.length;
    for (let place = start; place < pathname.length - 1; place += 17) {
      const other = pathname[place] === 'A' ? 'B' : 'A';
      expectNothing(await from(pathname.slice(0, place) + other + pathname.slice(place + 1)));
    }
    expect((await from(pathname)).status).toBe(200);
  });

  test('one whose app has gone or lost the callback opens no page', async () => {
    const app = await door.addApp({ callbacks: [CALLBACK, `${CALLBACK}2`] });
    const { headers } = await from(authorizePath(app, { redirect_uri: `${CALLBACK}2` }));
    await durable().deleteFrom('app_callbacks').where('uri', '=', `${CALLBACK}2`).execute();
    expectNothing(await from(new URL(headers.location ?? '').pathname));
  });
});

describe('a decision counts once', () => {
  test('of many at the same moment, with the same and with the other answer', async () => {
    const open = await opened({ state: 's' });
    const answers = Array.from({ length: 12 }, (_, n) => decide(open, n % 2 === 0 ? 'allow' : 'deny'));
    const taken = (await Promise.all(answers)).map(({ status, location }) => ({ status, location }));
    const counted = taken.filter(({ status }) => status === 302);
    // Who allows twice is led to the one consent twice.
    expect(new Set(counted.map(({ location }) => location)).size).toBe(1);
    const isDenied = counted[0]?.location?.includes('error=access_denied') === true;
    expect(counted).toHaveLength(isDenied ? 1 : 6);
    expect(taken.every(({ status }) => [302, 403, 404].includes(status))).toBe(true);
  });

  test('the address is worth nothing afterwards, in any browser', async () => {
    const open = await opened();
    await decide(open, 'deny');
    for (const browser of [open.browser, new Stranger()])
      expect(await browser.get(open.page.url)).toMatchObject({ status: 404 });
    expect(await decide(open, 'allow')).toMatchObject({ status: 404 });
  });

  test('only the first browser that opens the address may take it', async () => {
    const open = await opened();
    const other = new Stranger();
    expect(await other.get(open.page.url)).toMatchObject({ status: 403 });
    expect(await other.post(open.page.url, { _form: open.field, decision: 'allow' })).toMatchObject({
      status: 403,
    });
    expect(await decide(open, 'deny')).toMatchObject({ status: 302 });
  });

  test('several tabs of one browser each take theirs', async () => {
    const browser = new Stranger();
    const tabs = [await opened({}, browser), await opened({}, browser), await opened({}, browser)];
    for (const tab of tabs.toReversed()) expect(await decide(tab, 'deny')).toMatchObject({ status: 302 });
  });

  test('a request that an earlier version kept in a row is still decided, once and in its own browser', async () => {
    const [id, now] = [newHexId(), Date.now()];
    await durable()
      .insertInto('authorization_requests')
      .values({
        id,
        client_id: door.app.clientId,
        redirect_uri: CALLBACK,
        redirect_uri_given: 1,
        phase: 'new',
        created_at: now,
        expires_at: now + 60_000,
      })
      .execute();
    const browser = new Stranger();
    const page = await browser.get(at(`/approve/${id}`));
    const field = browser.forms(page)[0]?.fields.find(({ name }) => name === '_form')?.value ?? '';
    expect(await new Stranger().get(page.url)).toMatchObject({ status: 403 });
    const { location } = await browser.post(page.url, { _form: field, decision: 'deny' });
    expect(location).toBe(`${CALLBACK}?error=access_denied`);
    expect(await browser.get(page.url)).toMatchObject({ status: 404 });
  });
});

test('a request lasts half an hour, and then its address is that of no page', async () => {
  const clock = new SettableClock();
  const timed = await openDoor({ clock });
  const answer = await sendRaw(timed.bridgeUrl, { path: authorizePath(timed.app) });
  const { pathname: path } = new URL(answer.headers.location ?? '');
  clock.advance(30 * 60_000 - 1);
  expect((await sendRaw(timed.bridgeUrl, { path })).status).toBe(200);
  clock.advance(1);
  const over = await sendRaw(timed.bridgeUrl, { path });
  expect({ status: over.status, cookie: over.headers['set-cookie'] }).toEqual({ status: 404 });
  await timed.stop();
});

test('a rotation of the keys ends no request; a key that was dropped since has ended it', async () => {
  const { context } = door.bridge;
  const browser = new Stranger();
  const before = await opened({ state: 'old key' });
  await opened({ state: 'later' });
  const signIn = await browser.get(at('/sign-in'));
  const unopened = await from(authorizePath(door.app));
  const { id } = await addKeys(context, door.keysFile);
  await activateKey(context, { id, purposes: PURPOSES });
  expect((await decide(before, 'deny')).location).toBe(`${CALLBACK}?error=access_denied&state=old+key`);
  expect((await opened()).page.url).toContain(`/approve/${id}.`);
  expect((await browser.get(await consentAt(door, signIn, { person: DANA }))).status).toBe(303);

  // Pages that are open keep the key of their forms; nothing keeps the key of an address.
  const { outcomes: kept } = await dropKey(context, door.keysFile, { id: 'k1', purposes: ['session'] });
  expect(kept).toMatchObject([{ kept: expect.stringMatching(/^open approval pages: \d+$/) as string }]);
  const sealed = (unopened.headers.location ?? '').split('/').at(-1) ?? '';
  expect(await openRequest(context, sealed)).toMatchObject({ clientId: door.app.clientId });
  await dropBySql(context.store, 'sealing', 'k1');
  copyKeys(door.keysFile, settingsBeside(door, 'later').KEYS_FILE);
  removeKeyFromFile(settingsBeside(door, 'later').KEYS_FILE, 'sealing', 'k1');
  const startedLater = await openBeside(door, 'later');
  expect(await openRequest(startedLater.context, sealed)).toBeUndefined();
  await startedLater.close();
});
