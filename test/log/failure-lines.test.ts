import { connectApp, type Connected } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { type RawRequest, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { openStoreBreaker, type StoreBreaker } from '../support/database/store-breaker.ts';
import { until } from '../support/servers/held-answer.ts';

/** The line of a call that failed says which call it was, also where nobody could look up its token. */

const log = logLines();
let door: Door;
let connected: Connected;
let breaker: StoreBreaker;

beforeAll(async () => {
  door = await openDoor({ log: { level: 'info', stream: log.stream } });
  connected = await connectApp(door);
  breaker = await openStoreBreaker(door.bridge.database);
});

afterAll(async () => {
  await breaker.close();
  await door.stop();
});

/** A call, and the lines that name it. */
async function linesOf(request: RawRequest) {
  const { status, headers } = await sendRaw(door.bridgeUrl, request);
  await door.bridge.untilLogged();
  const lines = log.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  return { status, lines: lines.filter(({ requestId }) => requestId === headers['x-request-id']) };
}

test('while tokens cannot be looked up, the line of a failed call says which call, how and for how long', async () => {
  const encoded = encodeURIComponent(connected.token);
  const path = '/1/profiles.json';
  await breaker.whileMissing('mappings', async () => {
    for (const [carrier, request] of [
      ['query', { path: `${path}?access_token=${encoded}` }],
      ['body', { path, method: 'POST', ...rawForm(`access_token=${encoded}`) }],
    ] as const) {
      const { status, lines } = await linesOf(request);
      expect(status).toBe(503);
      expect(lines).toMatchObject([
        {
          message: 'a legacy call failed',
          level: 'error',
          method: request.path === path ? 'POST' : 'GET',
          path,
          status,
          ms: expect.any(Number),
          carrier,
          answeredBy: 'bridge',
        },
      ]);
      expect(JSON.stringify(lines)).not.toContain(connected.token.slice(2));
    }
  });
});

test('a failure of the own database is told from one of the new API', async () => {
  const headers = { authorization: `Bearer ${connected.token}` };
  door.proxy.insteadOfOther = () => ({ status: 500, headers: {}, body: Buffer.from('') });
  const upstream = await linesOf({ path: '/1/profiles.json', headers });
  door.proxy.insteadOfOther = undefined;
  expect(upstream).toMatchObject({ status: 503, lines: [{ answeredBy: 'new' }, { answeredBy: 'new' }] });
  const path = '/1/user/deauthorize.json';
  await breaker.whileFailing('insert on events', async () => {
    const { status, lines } = await linesOf({ path, headers });
    const told = { path, status: 503, carrier: 'header', clientId: connected.app.clientId };
    expect([status, lines]).toMatchObject([
      503,
      [
        { message: 'a legacy call failed', ...told, answeredBy: 'bridge' },
        { message: 'request', ...told, answeredBy: 'bridge' },
      ],
    ]);
  });
  const counted = { endpoint: 'deauthorize', outcome: 'failed', answered_by: 'bridge' };
  await until(async () => sumOf(await scrape(door.bridgeUrl), 'grantbridge_calls_total', counted) === 1);
});
