import { newLegacyToken } from '../../src/shared/ids.ts';
import { CARRIERS, CODINGS } from './bodies.ts';
import { type Ground, startGround } from './ground.ts';
import { send, sendCut, type Sent } from './send.ts';

/**
 * Bodies that end anywhere, in every carrier and coding, at every kind of address: no request ends the process, and what
 * cannot be read is the sender's fault.
 */

/** What comes before the body: nothing, or a token that the old API knows. */
type Credentials = 'none' | 'waiting';

type Address = [path: string, credentials: Credentials, isModern: boolean];

const ADDRESSES: ReadonlyArray<[name: string, ...Address]> = [
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

/** Every so many bodies of `cutBodies`, beginning with the first. */
const oneIn = (step: number) => bodies.filter((_, index) => index % step === 0);

/** A page that a brake lets through slowly. */
const BRAKED = 'a form of a page';

/** One address for each code that reads bodies. Every other address reads them by the code of one of these. */
const READERS = new Set([
  'a path that the old API serves, with a token',
  'the new token endpoint',
  'the new API',
  'a form of the new settings',
]);

/** How thoroughly the addresses are tried: each reader at every byte, or each address. */
export type Thoroughness = 'readers' | 'addresses';

function bodiesFor(name: string, thoroughness: Thoroughness) {
  if (name === BRAKED) return oneIn(23);
  return thoroughness === 'addresses' || READERS.has(name) ? bodies : oneIn(11);
}

/** Every so many of them come over a connection that is cut. */
const CUT_EVERY = 6;

/** Redirects and refusals; the new API may only refuse. */
const isAnswer = (status: number) => status >= 200 && status < 500;

/** What was answered otherwise than it should be, and whether the bridge stands as before. */
async function sendCutBodies(
  { bridge, modernUrl, waitingToken }: Ground,
  cut: typeof bodies,
  [path, credentials, isModern]: Address,
) {
  const origin = isModern ? modernUrl : bridge.url;
  const given: Record<string, string> =
    credentials === 'waiting' ? { authorization: `Bearer ${waitingToken}` } : {};
  const pid = bridge.pid();
  const wrong: string[] = [];
  await inLanes(cut, async ({ headers, body, rest }, index) => {
    const sent = { method: 'POST', path, headers: { ...headers, ...given }, body };
    const status = await send(origin, sent);
    if (!isAnswer(status)) wrong.push(`${status} ${JSON.stringify(headers)} ${body.toString('latin1')}`);
    if (index % CUT_EVERY === 0) await sendCut(origin, { ...sent, body: rest }, body.length);
  });
  const still = { method: 'GET', path: isModern ? '/jwks' : '/health', headers: {}, body: Buffer.alloc(0) };
  return { wrong, status: await send(origin, still), isSameProcess: bridge.pid() === pid };
}

/** Declares one test for each kind of address. */
export function testCutBodies(thoroughness: Thoroughness): void {
  let ground: Ground;

  beforeAll(async () => {
    ground = await startGround({ LEGACY_RATE_LIMIT: '0' });
  });

  afterAll(() => ground.stop());

  test.each(ADDRESSES)('no body that ends early harms at %s', async (name, ...address) => {
    const met = await sendCutBodies(ground, bodiesFor(name, thoroughness), address);
    expect(met).toEqual({ wrong: [], status: 200, isSameProcess: true });
    expect(ground.bridge.complaints()).not.toMatch(/ALARM|"level":"error"/);
  });
}
