import { Agent, request } from 'node:http';
import { connectApp } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';

/**
 * Many calls that arrive together are begun in many turns of the event loop: a turn takes in one new connection and sees
 * each answer of the new API once (docs/decisions/0026). The bridge is this process, so its turns can be counted.
 */

const CALLS = 200;
/** Were all begun as they arrive, sending, reading and answering would take about ten turns. */
const MANY_TURNS = 40;

let door: Door;
const agent = new Agent({ keepAlive: true, maxSockets: CALLS });

beforeAll(async () => {
  door = await openDoor({ env: { LEGACY_RATE_LIMIT: '0' } });
});

afterAll(async () => {
  agent.destroy();
  await door.stop();
});

function statusOf(path: string, token: string): Promise<number | undefined> {
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(door.bridgeUrl + path, { agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject).end();
  });
}

const askAll = (path: string, token: string) =>
  Promise.all(Array.from({ length: CALLS }, () => statusOf(path, token)));

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

test('calls that arrive together are begun in many turns, and each is answered', async () => {
  const { token } = await connectApp(door);
  // The connections are open before the turns are counted: each was taken in by a turn of its own.
  await askAll('/1/user.json', token);
  const turnsOf = countTurns();
  const statuses = await askAll('/1/user.json', token);
  const turns = turnsOf();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(turns).toBeGreaterThan(MANY_TURNS);
});
