import { request as beginRequest } from 'node:http';
import { authorizePath } from '../endpoints/support/authorize-address.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { getFrom, HTTPS, someAddress } from '../endpoints/support/strangers.ts';
import { until } from '../support/servers/held-answer.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { countElsewhere, goodReturn, madeUpReturn, refusedReturn, untilRefused } from './support/returns.ts';

/** How often one network address may ask for what, and how fast: each of these waits for a brake. */

let door: Door;

beforeAll(async () => {
  door = await openDoor({ env: { TRUST_PROXY: '127.0.0.1' } });
});

afterAll(() => door.stop());

const get = (request: Parameters<typeof getFrom>[1]) => getFrom(door.bridgeUrl, request);

const exchanges = () => door.proxy.calls.length;

/** An approval page and how long it took. */
async function timed(address: string) {
  const began = performance.now();
  const { status } = await get({ path: '/approve/unknown', address });
  return { status, ms: performance.now() - began };
}

test.each([
  ['authorization requests', () => authorizePath(door.app), 600],
  ['approval pages', () => '/approve/unknown', 600],
  ['sign-ins', () => '/sign-in', 600],
  ['stray returns', () => '/callback?code=x&state=y', 300],
])('%s of one address are limited, those of others are not', async (what, path, limit) => {
  const address = someAddress();
  await countElsewhere(door, [what, address], limit - 30);
  const { served, refused } = await untilRefused(() => get({ address, path: path() }), limit);
  expect(served).toBe(30);
  expect(refused.headers['content-type']).toContain('text/html');
  expect(refused.text).toContain('Too many requests');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await get({ path: path() })).status).not.toBe(429);
});

test('the networks of one /48 are limited together, for one sender may have them all', async () => {
  let n = 0;
  const send = () => {
    const address = `2001:db8:77:${(n++).toString(16)}::1`;
    const headers = { ...HTTPS, 'x-forwarded-for': address };
    return sendRaw(door.bridgeUrl, { method: 'POST', path: '/approve/unknown', headers });
  };
  await countElsewhere(door, ['approval decisions', '2001:db8:77::/48'], 120);
  expect((await untilRefused(send, 150)).served).toBe(30);
});

test('requests of one address that come fast are spread over the time, those of others are not', async () => {
  const address = someAddress();
  const ended: number[] = [];
  const oneMore = async () => {
    const answer = await timed(address);
    ended.push(answer.ms);
    return answer;
  };
  const fast = Promise.all(Array.from({ length: 60 }, oneMore));
  const others: number[] = [];
  // More than one, for a machine that stands still for two seconds delays whatever is under way then.
  do others.push((await timed(someAddress())).ms);
  while (ended.length < 50);
  const answers = await fast;
  expect(answers.every(({ status }) => status < 429)).toBe(true);
  // Ten may run ahead, and each of the others waits for a twentieth of a second after the one before.
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  expect(slowest).toBeGreaterThan(2000);
  expect(Math.min(...others)).toBeLessThan(slowest);
});

test('sign-ins end well behind an address whose codes were refused again and again, one in a second', async () => {
  const address = someAddress();
  for (let n = 0; n < 30; n += 1) expect(await refusedReturn(door, address)).toBe(200);
  const returns = [await goodReturn(door), await goodReturn(door), await goodReturn(door)];
  const began = performance.now();
  const answers = await Promise.all(returns.map((one) => get({ address, ...one })));
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect(performance.now() - began).toBeGreaterThan(1900);
});

test('codes that are made up and come at once are exchanged one in a second after thirty', async () => {
  const address = someAddress();
  const returns = await Promise.all(Array.from({ length: 90 }, () => madeUpReturn(door)));
  const [before, began] = [exchanges(), performance.now()];
  const answers = await Promise.all(returns.map((one) => get({ address, ...one })));
  const seconds = (performance.now() - began) / 1000;
  expect(exchanges() - before).toBeLessThanOrEqual(30 + 1 + seconds);
  const refused = answers.findIndex(({ status }) => status === 429);
  expect(refused).toBeGreaterThanOrEqual(0);
  const again = returns[refused] ?? { path: '' };
  expect((await get(again)).status).toBe(200);
});

test('a request whose connection is gone counts for nothing, and one that would wait too long neither', async () => {
  const address = someAddress();
  const points = () => door.bridge.context.counts.look(['approval pages', address]).points;
  const headers = { ...HTTPS, 'x-forwarded-for': address };
  const sent = Array.from({ length: 60 }, () =>
    beginRequest(`${door.bridgeUrl}/approve/unknown`, { headers, agent: false }).on('error', () => undefined),
  );
  for (const one of sent) one.end();
  await until(() => points() >= 10);
  for (const one of sent) one.destroy();
  const answers = await Promise.all(Array.from({ length: 200 }, () => timed(address)));
  const served = answers.filter(({ status }) => status < 429).length;
  expect(served).toBeLessThan(200);
  expect(points()).toBeLessThan(served + 60);
});
