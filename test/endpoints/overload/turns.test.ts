import { Agent, IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { createTurns } from '../../../src/http/overload/turns.ts';
import { until } from '../../support/servers/held-answer.ts';
import { connectApp } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { openPipeline } from '../support/pipeline.ts';

/**
 * Many calls that arrive together are begun in many turns of the event loop: a turn takes in one new connection and sees
 * each answer of the new API once (docs/decisions/0026). The bridge is this process, so its turns can be counted.
 */

const CALLS = 200;
/** Were all begun as they arrive, two turns would do. */
const MANY_TURNS = 12;
/** Whoever comes after all of them has to wait for fewer than this. */
const FEW = CALLS / 2;
/** Milliseconds. */
const LONGER_THAN_A_TURN = 5;

let door: Door;
let token: string;
let logged = '';
const agent = new Agent({ keepAlive: true, maxSockets: CALLS });

beforeAll(async () => {
  const stream = new PassThrough().on('data', (bytes: Buffer) => (logged += bytes.toString()));
  const env = { LEGACY_RATE_LIMIT: '0', LOG_REQUESTS: 'all' };
  door = await openDoor({ env, log: { level: 'info', stream } });
  ({ token } = await connectApp(door));
  // The connections are open before anything is counted: each is taken in by a turn of its own.
  await askAll();
});

afterAll(async () => {
  agent.destroy();
  await door.stop();
});

const CALL = '/1/user.json';

function statusOf(path: string, by: Agent | undefined): Promise<number | undefined> {
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(door.bridgeUrl + path, { agent: by, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject).end();
  });
}

/** Calls over connections of their own, all at once. `answered` is told of each answer. */
const askAll = (answered: () => void = () => undefined) =>
  Promise.all(
    Array.from({ length: CALLS }, async () => {
      const status = await statusOf(CALL, agent);
      answered();
      return status;
    }),
  );

const CALL_AS_TEXT = () => `GET ${CALL} HTTP/1.1\r\nHost: l\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const manyOnOne = () => Array.from({ length: CALLS }, CALL_AS_TEXT);

/** Counts turns of the event loop until the returned function is called. */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const again = () => {
    turns += 1;
    if (!isOver) setImmediate(again);
  };
  setImmediate(again);
  return () => {
    isOver = true;
    return turns;
  };
}

test('they are begun in many turns, and each is answered', async () => {
  const turnsOf = countTurns();
  const statuses = await askAll();
  const turns = turnsOf();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(turns).toBeGreaterThan(MANY_TURNS);
});

test('who watches the process waits for none of them', async () => {
  let answered = 0;
  const all = askAll(() => (answered += 1));
  expect(await statusOf('/health', undefined)).toBe(200);
  expect(answered).toBeLessThan(FEW);
  await all;
});

test('one connection with all of them holds up no other, and the time that they wait stands in their lines', async () => {
  const pipeline = await openPipeline(door);
  await until(() => logged.split('"request"').length > CALLS);
  logged = '';
  const began = performance.now();
  let others = 0;
  const all = pipeline.ask(manyOnOne());
  while (await Promise.race([all.then(() => false), statusOf(CALL, agent).then((status) => status === 200)]))
    others += 1;
  const took = performance.now() - began;
  expect(others).toBeGreaterThan(FEW / 10);
  pipeline.close();
  await until(() => logged.includes(CALL));
  const waits = logged
    .split('\n')
    .filter((line) => line.includes(CALL))
    .map((line) => Number(/"ms":(\d+)/.exec(line)?.[1]));
  expect(Math.max(...waits)).toBeGreaterThan(took / 2);
});

function passFor(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('a call is not begun once its connection is closed', async () => {
  const turns = createTurns();
  const connection = new Socket();
  let begun = 0;
  const begin = () => {
    begun += 1;
    passFor(LONGER_THAN_A_TURN);
  };
  for (let n = 0; n < 10; n += 1) turns.begin(new IncomingMessage(connection), begin);
  connection.destroy();
  await until(() => turns.wait() === 0);
  expect(begun).toBe(1);
});

test('requests with a short begin and a long rest are not all begun in one turn', async () => {
  const turns = createTurns();
  let [begun, most] = [0, 0];
  const begin = () => {
    begun += 1;
    setTimeout(() => passFor(0.3), 0);
  };
  turns.begin(new IncomingMessage(new Socket()), () => passFor(LONGER_THAN_A_TURN));
  for (let n = 0; n < 1000; n += 1) turns.begin(new IncomingMessage(new Socket()), begin);
  while (turns.wait() > 0) {
    const before = begun;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, begun - before);
  }
  expect(begun).toBe(1000);
  expect(most).toBeLessThanOrEqual(CALLS / 2);
});
