import { dirname, join } from 'node:path';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { openApproval } from '../endpoints/support/authorize-address.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { getFrom, HTTPS, someAddress, Stranger } from '../endpoints/support/strangers.ts';
import { consentAt, DANA } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { countElsewhere, decidedReturn, goodReturn, untilRefused } from './support/returns.ts';

/** Sign-ins, of which nothing is kept before they return, and how often one network address may do what is kept. */

let door: Door;

beforeAll(async () => {
  door = await openDoor({ env: { TRUST_PROXY: '127.0.0.1' } });
});

afterAll(() => door.stop());

const at = (path: string) => `${door.bridgeUrl}${path}`;
const get = (request: Parameters<typeof getFrom>[1]) => getFrom(door.bridgeUrl, request);

const signInCookies = (browser: CookieWalker) =>
  browser.cookieHeader(door.bridgeUrl).match(/gb_sign_in_[0-9a-f]{24}=/g) ?? [];

describe('sign-ins', () => {
  test('two tabs of one browser both finish, the later one first', async () => {
    const browser = new Stranger();
    const lefts = [await browser.get(at('/sign-in?return_to=/apps/a')), await browser.get(at('/sign-in'))];
    const backs = [];
    for (const left of lefts) backs.push(await consentAt(door, left, { person: DANA }));
    expect(await browser.get(backs[1] ?? '')).toMatchObject({ status: 303, location: '/apps' });
    expect(await browser.get(backs[0] ?? '')).toMatchObject({ status: 303, location: '/apps/a' });
    expect(signInCookies(browser)).toEqual([]);
  });

  test('a return counts once, also for who kept the cookie', async () => {
    const browser = new Stranger();
    const left = await browser.get(at('/sign-in'));
    const cookie = browser.cookieHeader(door.bridgeUrl);
    const back = new URL(await consentAt(door, left, { person: DANA }));
    expect((await browser.get(back.href)).status).toBe(303);
    const again = await get({ path: back.pathname + back.search, cookie });
    expect(again.status).toBe(403);
  });

  test('a cookie is good for no other state', async () => {
    const [mine, other] = [new Stranger(), new Stranger()];
    const left = [await mine.get(at('/sign-in')), await other.get(at('/sign-in'))];
    const state = new URL(left[1]?.location ?? '').searchParams.get('state') ?? '';
    const [, sealed] = mine.cookieHeader(door.bridgeUrl).split('=');
    const [name] = other.cookieHeader(door.bridgeUrl).split('=');
    const cookie = `${name}=${sealed}`;
    expect((await get({ path: `/callback?code=x&state=${state}`, cookie })).status).toBe(403);
  });

  test('however many are begun, the cookies of a browser stay far below what a server reads', async () => {
    const browser = new Stranger();
    const longest = `/apps/${'a-'.repeat(14)}/${'b-'.repeat(14)}/${'c-'.repeat(14)}/${'d-'.repeat(14)}`;
    for (let n = 0; n < 40; n += 1) await browser.get(at(`/sign-in?return_to=${longest}`));
    for (let n = 0; n < 40; n += 1) await openApproval(door, {}, browser);
    expect(browser.cookieHeader(door.bridgeUrl).length).toBeLessThan(11_000);
    const left = await browser.get(at('/sign-in'));
    const back = await consentAt(door, left, { person: DANA });
    expect((await browser.get(back)).status).toBe(303);
  });
});

/** What a stray return is answered while another program writes to the database. */
async function strayBesideWriter(address: string): Promise<number> {
  const other = new Sqlite(join(dirname(door.bridge.context.anchorsFile), 'bridge.db'));
  other.exec('begin immediate');
  try {
    const cookie = `gb_browser_${'0'.repeat(24)}=${'x'.repeat(43)}`;
    return (await get({ address, path: '/callback?code=x&state=y', cookie })).status;
  } finally {
    other.close();
  }
}

describe('brakes', () => {
  test('decisions of one address are limited, for each is kept durably', async () => {
    const address = someAddress();
    const send = () =>
      sendRaw(door.bridgeUrl, {
        method: 'POST',
        path: '/approve/unknown',
        headers: { ...HTTPS, 'x-forwarded-for': address },
      });
    await countElsewhere(door, ['approval decisions', address], 120);
    expect((await untilRefused(send, 150)).served).toBe(30);
  });

  test.each([
    ['a sign-in', goodReturn, 303],
    ['a decision', decidedReturn, 302],
  ])('%s ends well behind an address whose stray returns are refused', async (_what, toReturn, status) => {
    const address = someAddress();
    await countElsewhere(door, ['stray returns', address], 300);
    expect((await get({ address, path: '/callback?code=x&state=y' })).status).toBe(429);
    expect(await get({ address, ...(await toReturn(door)) })).toMatchObject({ status });
  });

  test('a stray return writes nothing, and asks for no keys above the limit', async () => {
    const address = someAddress();
    const looks = jest.spyOn(door.bridge.context.keyring, 'refresh');
    try {
      expect(await strayBesideWriter(address)).toBe(403);
      expect(looks).toHaveBeenCalledTimes(1);
      await countElsewhere(door, ['stray returns', address], 300);
      expect(await strayBesideWriter(address)).toBe(429);
      expect(looks).toHaveBeenCalledTimes(1);
    } finally {
      looks.mockRestore();
    }
  });

  test('of more cookies than a browser is ever given the newest are read', async () => {
    const { path, cookie } = await decidedReturn(door);
    const others = Array.from({ length: 30 }, (_, n) => `gb_browser_${n}=${'x'.repeat(43)}`);
    const last = (cookies: string[]) => get({ path, cookie: cookies.join('; ') });
    expect((await last([cookie, ...others])).status).toBe(403);
    expect((await last([...others, cookie])).status).toBe(302);
  });

  test('sign-ins that return are limited for each address, and one above the limit may come again', async () => {
    const address = someAddress();
    await countElsewhere(door, ['sign-ins that return', address], 300);
    const browser = new Stranger();
    const back = new URL(await consentAt(door, await browser.get(at('/sign-in')), { person: DANA }));
    const request = { path: back.pathname + back.search, cookie: browser.cookieHeader(door.bridgeUrl) };
    const asked = door.proxy.calls.length;
    const refused = await get({ address, ...request });
    expect(refused.status).toBe(429);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect(door.proxy.calls).toHaveLength(asked);
    expect((await get(request)).status).toBe(303);
  });
});
