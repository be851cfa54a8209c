import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { rawForm } from '../../support/callers/raw-request.ts';
import { TOKEN_PATH } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { knock } from '../support/knock.ts';

/** docs/threats.md T12: wrong secrets are counted in memory, and a stranger invents the ids of the clients. */

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterAll(() => door.stop());

function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const LENGTH = 200_000;
const TIMES = 100;

const guess = (number: number, length: number) => {
  const clientId = `${number}`.padEnd(length, 'x');
  const form = `grant_type=authorization_code&code=1%2Fx&client_id=${clientId}&client_secret=x`;
  return knock(door, { method: 'POST', path: TOKEN_PATH, ...rawForm(form) });
};

test('row T12 what is counted of an invented client is no longer than a client id', async () => {
  for (let number = 0; number < TIMES; number += 1) await guess(number, 24);
  const before = held();
  for (let number = 0; number < TIMES; number += 1)
    expect(await guess(TIMES + number, LENGTH)).toMatchObject({ status: 400 });
  expect(held() - before).toBeLessThan((TIMES * LENGTH) / 4);
});
