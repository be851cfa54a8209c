import { type Door, openDoor } from '../endpoints/support/door.ts';
import { getFrom, Stranger } from '../endpoints/support/strangers.ts';
import { decidedReturn } from '../flows/support/returns.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { samplesOf, scrapeText, sumOf } from './support/scrape.ts';

/** What `/metrics` and the log tell of consents that come back from the new API. */

const METRICS_TOKEN = 'a-token-of-metrics-for-this-test';
const env = { TRUST_PROXY: '127.0.0.1', METRICS_TOKEN };

let log: ReturnType<typeof logLines>;
let door: Door;

async function open(): Promise<Door> {
  log = logLines();
  return openDoor({ env, log: { level: 'info', stream: log.stream } });
}

beforeEach(async () => {
  door = await open();
});

afterEach(() => door.stop());

/** How many consents of a purpose finished, were declined and failed. */
async function countsOf(purpose: string): Promise<number[]> {
  const text = await scrapeText(door.bridgeUrl, { authorization: `Bearer ${METRICS_TOKEN}` });
  return ['finished', 'declined', 'failed'].map((outcome) =>
    sumOf(samplesOf(text), 'grantbridge_consents_total', { purpose, outcome }),
  );
}

async function told(): Promise<unknown[]> {
  await door.bridge.untilLogged();
  const lines = log.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter(({ message }) => message === 'a consent could not be finished');
}

/** A sign-in that comes back with these parameters. Its `iss` is right, unless it is named. */
async function comeBack(fields: Record<string, string>, address = '10.20.0.1'): Promise<number> {
  const browser = new Stranger();
  const left = await browser.get(`${door.bridgeUrl}/sign-in`);
  const state = new URL(left.location ?? '').searchParams.get('state') ?? '';
  const query = new URLSearchParams({ state, iss: door.proxy.origin, ...fields }).toString();
  const cookie = browser.cookieHeader(door.bridgeUrl);
  return (await getFrom(door.bridgeUrl, { address, path: `/callback?${query}`, cookie })).status;
}

const made = { code: 'made-up' };

const FAILED: Array<[what: string, fields: Record<string, string>, line: Record<string, string>]> = [
  ['an error of the new API', { error: 'server_error' }, { level: 'warn', refusal: 'server_error' }],
  ['an error that is no code', { error: 'x"y' }, { refusal: 'unreadable' }],
  ['an error that is too long', { error: 'x'.repeat(61) }, { refusal: 'unreadable' }],
  ['another issuer', { ...made, iss: 'https://elsewhere.example' }, { detail: 'the iss of another server' }],
  ['no issuer', { ...made, iss: '' }, { level: 'warn', detail: 'no iss' }],
  ['neither a code nor an error', {}, { detail: 'neither a code nor an error, or both' }],
  ['a code that is refused', made, { level: 'error', refusal: 'invalid_grant' }],
];

test.each(FAILED)(
  'a sign-in with %s counts as failed, and its line says why',
  async (_what, fields, line) => {
    await comeBack(fields);
    expect(await countsOf('sign_in')).toEqual([0, 0, 1]);
    const lines = await told();
    expect(lines).toMatchObject([{ ...line, purpose: 'sign_in' }]);
    expect(lines[0]).not.toHaveProperty('clientId');
  },
);

test('a return while the metadata of the new API cannot be read counts as failed', async () => {
  door.proxy.insteadOfOther = ({ path }) =>
    path.startsWith('/.well-known/') ? { status: 503, headers: {}, body: Buffer.from('') } : undefined;
  await comeBack(made);
  expect(await countsOf('sign_in')).toEqual([0, 0, 1]);
  expect(await told()).toMatchObject([{ level: 'error', purpose: 'sign_in' }]);
});

test('a person who says no is no failure, and has no line', async () => {
  await comeBack({ error: 'access_denied' });
  expect(await countsOf('sign_in')).toEqual([0, 1, 0]);
  expect(await told()).toEqual([]);
});

test('a return that belongs to no consent of its browser counts nowhere', async () => {
  expect(await comeBack({ error: 'server_error', state: 'x'.repeat(43) })).toBe(403);
  expect(await comeBack({ error: 'server_error', state: '' })).toBe(403);
  expect(await countsOf('sign_in')).toEqual([0, 0, 0]);
  expect(await told()).toEqual([]);
});

test('failures of one network count once an hour, so that one stranger calls nobody', async () => {
  for (let n = 1; n <= 5; n += 1) await comeBack({ error: 'server_error' }, `10.20.0.${n}`);
  expect(await countsOf('sign_in')).toEqual([0, 0, 1]);
  expect(await told()).toHaveLength(5);
  await comeBack({ error: 'server_error' }, '10.20.1.1');
  expect(await countsOf('sign_in')).toEqual([0, 0, 2]);
});

/** A consent for an old app, whose return is changed on its way. */
async function connect(change: (query: URLSearchParams) => void = () => undefined): Promise<void> {
  const { path, cookie } = await decidedReturn(door);
  const address = new URL(path, door.bridgeUrl);
  change(address.searchParams);
  await getFrom(door.bridgeUrl, { path: address.pathname + address.search, cookie });
}

test('a connect counts under a purpose of its own, and the line of one that failed names the app', async () => {
  await connect();
  expect(await countsOf('legacy')).toEqual([1, 0, 0]);
  expect(await told()).toEqual([]);
  await connect((query) => {
    query.delete('code');
    query.set('error', 'unauthorized_client');
  });
  expect(await countsOf('legacy')).toEqual([1, 0, 1]);
  const { clientId } = door.app;
  expect(await told()).toMatchObject([{ purpose: 'legacy', clientId, refusal: 'unauthorized_client' }]);
});
