import { type Door, openDoor } from '../endpoints/support/door.ts';
import { CHANNEL, connectReader, type Reader } from '../posts/support/reader.ts';
import { logLines } from '../support/bridge/log-lines.ts';

/** The log says which limit refused a call, and which app uses the budget at the new API. */

const LIMIT = 40;

const log = logLines();
let door: Door;
let reader: Reader;
let other: Reader;

beforeAll(async () => {
  const env = { LEGACY_RATE_LIMIT: String(LIMIT), PROFILES_FRESH_SECONDS: '0' };
  door = await openDoor({ env, log: { level: 'info', stream: log.stream } });
  [reader, other] = [await connectReader(door), await connectReader(door)];
});

afterAll(() => door.stop());

async function linesWith(message: string): Promise<Array<Record<string, unknown>>> {
  await door.bridge.untilLogged();
  const lines = log.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.filter((line) => line['message'] === message);
}

/** The new API says of each answer from now on that so much is left of a hundred. */
function leave(left: number): void {
  const headers = {
    ratelimit: `"100-in-15min";r=${left};t=900`,
    'ratelimit-policy': '"100-in-15min";q=100;w=900',
  };
  door.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
}

const LITTLE = 'little is left of a budget at the new API';

test('while little is left a line names the app that has sent most of the requests', async () => {
  leave(50);
  await other.get('/1/profiles.json');
  for (const since of [1, 2, 3]) await reader.list(`pending.json?since=${since}`);
  expect(await linesWith(LITTLE)).toEqual([]);
  leave(9);
  await other.get('/1/profiles.json');
  await other.get(`/1/profiles/${CHANNEL}/updates/sent.json`);
  const [line, ...more] = await linesWith(LITTLE);
  expect(more).toEqual([]);
  expect(line).toMatchObject({ level: 'warn', window: '100 in 900', left: 9, clientId: reader.app.clientId });
  expect(line?.['requests']).toBeGreaterThanOrEqual(3);
});

test('a read that gives way to writes says that the new API limits it', async () => {
  leave(9);
  await other.get('/1/profiles.json');
  const { status, headers } = await reader.get(`/1/profiles/${CHANNEL}/updates/sent.json`);
  expect(status).toBe(429);
  const refused = { status, limit: 'new_api', requestId: headers['x-request-id'] };
  expect((await linesWith('request')).slice(-1)).toMatchObject([refused]);
});

test('a call above the limit of calls says so', async () => {
  let last = await other.get('/1/user.json');
  for (let n = 0; n < LIMIT && last.status !== 429; n += 1) last = await other.get('/1/user.json');
  expect(last.status).toBe(429);
  const { headers } = last;
  const [line] = (await linesWith('request')).slice(-1);
  expect(line).toMatchObject({ status: 429, limit: 'calls', requestId: headers['x-request-id'] });
});
