import { newLegacyToken } from '../../src/shared/ids.ts';
import { CARRIERS, CODINGS } from './bodies.ts';
import { type Ground, startGround } from './ground.ts';
import { send, sendCut, type Sent } from './send.ts';

/**
 * Bodies that end anywhere, in every carrier and coding, at every kind of address: no request ends the process, and what
 * cannot be read is the sender's fault.
 */

let ground: Ground;

beforeAll(async () => {
  ground = await startGround({ LEGACY_RATE_LIMIT: '0' });
});

afterAll(() => ground.stop());

/** What comes before the body: nothing, or a token that the old API knows. */
type Credentials = 'none' | 'waiting';

const ADDRESSES: ReadonlyArray<[name: string, path: string, credentials: Credentials, isModern: boolean]> = [
  ['a served path', '/1/user.json', 'none', false],
  ['a path that the old API serves', '/1/updates/create.json', 'none', false],
  ['a path that the old API serves, with a token', '/1/updates/create.json', 'waiting', false],
  ['the old token endpoint', '/1/oauth2/token.json', 'none', false],
  ['deauthorize', '/1/user/deauthorize.json', 'none', false],
  ['authorize', '/oauth2/authorize', 'none', false],
  ['the exchange', '/oauth2/exchange', 'none', false],
  ['a form of a page', `/approve/${'0'.repeat(24)}`, 'none', false],
  ['a page of owners', '/apps/register', 'none', false],
  ['the new token endpoint', '/token', 'none', true],
  ['the new API', '/graphql', 'none', true],
  ['a form of the new sign-in', '/interaction/x/sign-in', 'none', true],
  ['a form of the new settings', '/settings/sign-in', 'none', true],
];

const TOKEN = newLegacyToken();

/** Every body, cut at every byte; what is not unpacked anyway is cut at a few. */
function cutBodies(): Array<Pick<Sent, 'headers' | 'body'> & { rest: Buffer }> {
  return Object.values(CARRIERS).flatMap((carry) => {
    const { type, body } = carry({ access_token: TOKEN });
    return Object.entries(CODINGS).flatMap(([coding, pack]) => {
      const whole = pack(body);
      const isUnpacked = ['identity', 'gzip', 'deflate', 'br'].includes(coding);
      const step = isUnpacked ? 1 : Math.ceil(whole.length / 3);
      const headers = { 'content-type': type, ...(coding !== 'identity' && { 'content-encoding': coding }) };
      return Array.from({ length: Math.ceil(whole.length / step) + 1 }, (_, n) => ({
        headers,
        body: whole.subarray(0, n * step),
        rest: whole,
      }));
    });
  });
}

async function inLanes<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: 12 }, lane));
}

const bodies = cutBodies();
/** Of addresses that read bodies by the same code as a neighbour above. */
const someBodies = bodies.filter((_, index) => index % 5 === 0);
/** Of pages that a brake lets through slowly, which read them by that code too. */
const fewBodies = bodies.filter((_, index) => index % 23 === 0);

const ALIKE = new Set([
  'a path that the old API serves',
  'deauthorize',
  'authorize',
  'a page of owners',
  'a form of the new sign-in',
]);

const bodiesFor = (name: string) => {
  if (name === 'a form of a page') return fewBodies;
  return ALIKE.has(name) ? someBodies : bodies;
};

/** Every so many of them come over a connection that is cut. */
const CUT_EVERY = 6;

/** Redirects and refusals; the new API may only refuse. */
const isAnswer = (status: number) => status >= 200 && status < 500;

test.each(ADDRESSES)('no body that ends early harms at %s', async (name, path, credentials, isModern) => {
  const { bridge, modernUrl, waitingToken } = ground;
  const origin = isModern ? modernUrl : bridge.url;
  const given: Record<string, string> =
    credentials === 'waiting' ? { authorization: `Bearer ${waitingToken}` } : {};
  const pid = bridge.pid();
  const wrong: string[] = [];
  await inLanes(bodiesFor(name), async ({ headers, body, rest }, index) => {
    const sent = { method: 'POST', path, headers: { ...headers, ...given }, body };
    const status = await send(origin, sent);
    if (!isAnswer(status)) wrong.push(`${status} ${JSON.stringify(headers)} ${body.toString('latin1')}`);
    if (index % CUT_EVERY === 0) await sendCut(origin, { ...sent, body: rest }, body.length);
  });
  expect(wrong).toEqual([]);
  expect(
    await send(origin, {
      method: 'GET',
      path: isModern ? '/jwks' : '/health',
      headers: {},
      body: Buffer.alloc(0),
    }),
  ).toBe(200);
  expect(bridge.pid()).toBe(pid);
  expect(bridge.complaints()).not.toMatch(/ALARM|"level":"error"/);
});
