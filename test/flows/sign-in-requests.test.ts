import { request as beginRequest } from 'node:http';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { authorizePath, openApproval } from '../endpoints/support/authorize-address.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { getFrom, HTTPS, someAddress, Stranger } from '../endpoints/support/strangers.ts';
import { consentAt, DANA } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/cookie-walker.ts';
import { until } from '../support/held-answer.ts';
import { type RawAnswer, sendRaw } from '../support/raw-request.ts';

/** Sign-ins, of which nothing is kept before they return, and how often one network address may ask for what. */

let door: Door;

beforeAll(async () => {
  door = await openDoor({ env: { TRUST_PROXY: '127.0.0.1' } });
});

afterAll(() => door.stop());

const at = (path: string) => `${door.bridgeUrl}${path}`;
const get = (request: Parameters<typeof getFrom>[1]) => getFrom(door.bridgeUrl, request);

const signInCookies = (browser: CookieWalker) =>
  browser.cookieHeader(door.bridgeUrl).match(/gb_sign_in_[0-9a-f]{24}=/g) ?? [];

/** Asks until it is refused, a few at a time; how many were served, and the refusal. Those that come fast are spread. */
async function untilRefused(ask: () => Promise<RawAnswer>, most: number) {
  let served = 0;
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const refused = answers.find(({ status }) => status === 429);
    served += answers.filter(({ status }) => status !== 429).length;
    if (refused) return { served, refused };
    if (served > most) throw new Error(`${served} requests of one address were served`);
  }
}

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

/** A sign-in that returns with a code that the modern side refuses. */
async function madeUpReturn() {
  const browser = new Stranger();
  const left = await browser.get(at('/sign-in'));
  const query = new URL(left.location ?? '').searchParams;
  const iss = encodeURIComponent(door.proxy.origin);
  const path = `/callback?code=made-up&state=${query.get('state')}&iss=${iss}`;
  return { path, cookie: browser.cookieHeader(door.bridgeUrl) };
}

const refusedReturn = async (address: string): Promise<number> =>
  (await get({ address, ...(await madeUpReturn()) })).status;

/** A sign-in that is to return as it should. */
async function goodReturn() {
  const browser = new Stranger();
  const left = await browser.get(at('/sign-in'));
  const cookie = browser.cookieHeader(door.bridgeUrl);
  const back = new URL(await consentAt(door, left, { person: DANA }));
  return { path: back.pathname + back.search, cookie };
}

/** A request that a person allowed, which is to return. */
async function decidedReturn() {
  const open = await openApproval(door, {}, new Stranger());
  const left = await open.browser.post(open.page.url, { _form: open.field, decision: 'allow' });
  const cookie = open.browser.cookieHeader(door.bridgeUrl);
  const back = new URL(await consentAt(door, left, { person: DANA }));
  return { path: back.pathname + back.search, cookie };
}

const exchanges = () => door.proxy.calls.length;

/** An approval page and how long it took. */
async function timed(address: string) {
  const began = performance.now();
  const { status } = await get({ path: '/approve/unknown', address });
  return { status, ms: performance.now() - began };
}

/** Another process has counted so many. */
async function countElsewhere(what: string, sender: string, times: number): Promise<void> {
  const { counts } = door.bridge.context;
  for (let n = 0; n < times; n += 1) counts.count([what, sender]);
  await counts.sync();
  await door.bridge.untilShared();
}

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
  test.each([
    ['authorization requests', () => authorizePath(door.app), 600],
    ['approval pages', () => '/approve/unknown', 600],
    ['sign-ins', () => '/sign-in', 600],
    ['stray returns', () => '/callback?code=x&state=y', 300],
  ])('%s of one address are limited, those of others are not', async (what, path, limit) => {
    const address = someAddress();
    await countElsewhere(what, address, limit - 30);
    const { served, refused } = await untilRefused(() => get({ address, path: path() }), limit);
    expect(served).toBe(30);
    expect(refused.headers['content-type']).toContain('text/html');
    expect(refused.text).toContain('Too many requests');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await get({ path: path() })).status).not.toBe(429);
  });

  test('decisions of one address are limited, for each is kept durably', async () => {
    const address = someAddress();
    const send = () =>
      sendRaw(door.bridgeUrl, {
        method: 'POST',
        path: '/approve/unknown',
        headers: { ...HTTPS, 'x-forwarded-for': address },
      });
    await countElsewhere('approval decisions', address, 120);
    expect((await untilRefused(send, 150)).served).toBe(30);
  });

  test('the networks of one /48 are limited together, for one sender may have them all', async () => {
    let n = 0;
    const send = () => {
      const address = `2001:db8:77:${(n++).toString(16)}::1`;
      const headers = { ...HTTPS, 'x-forwarded-for': address };
      return sendRaw(door.bridgeUrl, { method: 'POST', path: '/approve/unknown', headers });
    };
    await countElsewhere('approval decisions', '2001:db8:77::/48', 120);
    expect((await untilRefused(send, 150)).served).toBe(30);
  });

  test('requests of one address that come fast are spread over the time, those of others are not', async () => {
    const address = someAddress();
    const fast = Promise.all(Array.from({ length: 60 }, () => timed(address)));
    const other = await timed(someAddress());
    const answers = await fast;
    expect(answers.every(({ status }) => status < 429)).toBe(true);
    // Ten may run ahead, and each of the others waits for a twentieth of a second after the one before.
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    expect(slowest).toBeGreaterThan(2000);
    expect(other.ms).toBeLessThan(slowest);
  });

  test('sign-ins end well behind an address whose codes were refused again and again, one in a second', async () => {
    const address = someAddress();
    for (let n = 0; n < 30; n += 1) expect(await refusedReturn(address)).toBe(200);
    const returns = [await goodReturn(), await goodReturn(), await goodReturn()];
    const began = performance.now();
    const answers = await Promise.all(returns.map((one) => get({ address, ...one })));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(performance.now() - began).toBeGreaterThan(1900);
  });

  test('codes that are made up and come at once are exchanged one in a second after thirty', async () => {
    const address = someAddress();
    const returns = await Promise.all(Array.from({ length: 90 }, madeUpReturn));
    const [before, began] = [exchanges(), performance.now()];
    const answers = await Promise.all(returns.map((one) => get({ address, ...one })));
    const seconds = (performance.now() - began) / 1000;
    expect(exchanges() - before).toBeLessThanOrEqual(30 + 1 + seconds);
    const refused = answers.findIndex(({ status }) => status === 429);
    expect(refused).toBeGreaterThanOrEqual(0);
    const again = returns[refused] ?? { path: '' };
    expect((await get(again)).status).toBe(200);
  });

  test.each([
    ['a sign-in', goodReturn, 303],
    ['a decision', decidedReturn, 302],
  ])('%s ends well behind an address whose stray returns are refused', async (_what, toReturn, status) => {
    const address = someAddress();
    await countElsewhere('stray returns', address, 300);
    expect((await get({ address, path: '/callback?code=x&state=y' })).status).toBe(429);
    expect(await get({ address, ...(await toReturn()) })).toMatchObject({ status });
  });

  test('a stray return writes nothing, and asks for no keys above the limit', async () => {
    const address = someAddress();
    const looks = jest.spyOn(door.bridge.context.keyring, 'refresh');
    try {
      expect(await strayBesideWriter(address)).toBe(403);
      expect(looks).toHaveBeenCalledTimes(1);
      await countElsewhere('stray returns', address, 300);
      expect(await strayBesideWriter(address)).toBe(429);
      expect(looks).toHaveBeenCalledTimes(1);
    } finally {
      looks.mockRestore();
    }
  });

  test('of more cookies than a browser is ever given the newest are read', async () => {
    const { path, cookie } = await decidedReturn();
    const others = Array.from({ length: 30 }, (_, n) => `gb_browser_${n}=${'x'.repeat(43)}`);
    const last = (cookies: string[]) => get({ path, cookie: cookies.join('; ') });
    expect((await last([cookie, ...others])).status).toBe(403);
    expect((await last([...others, cookie])).status).toBe(302);
  });

  test('a request whose connection is gone counts for nothing, and one that would wait too long neither', async () => {
    const address = someAddress();
    const points = () => door.bridge.context.counts.look(['approval pages', address]).points;
    const headers = { ...HTTPS, 'x-forwarded-for': address };
    const sent = Array.from({ length: 60 }, () =>
      beginRequest(`${door.bridgeUrl}/approve/unknown`, { headers, agent: false }).on(
        'error',
        () => undefined,
      ),
    );
    for (const one of sent) one.end();
    await until(() => points() >= 10);
    for (const one of sent) one.destroy();
    const answers = await Promise.all(Array.from({ length: 200 }, () => timed(address)));
    const served = answers.filter(({ status }) => status < 429).length;
    expect(served).toBeLessThan(200);
    expect(points()).toBeLessThan(served + 60);
  });

  test('sign-ins that return are limited for each address, and one above the limit may come again', async () => {
    const address = someAddress();
    await countElsewhere('sign-ins that return', address, 300);
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
