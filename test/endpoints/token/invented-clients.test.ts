import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newLegacyCode } from '../../../src/shared/ids.ts';
import { exchange } from '../../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm } from '../../support/callers/raw-request.ts';
import { expectTokenError } from '../support/expectations.ts';
import { createGuessLimit } from '../../../src/http/wire/guess-limit.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { TOKEN_PATH } from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { knock } from '../support/knock.ts';

/** docs/threats.md T12: wrong secrets are counted in memory, and a stranger invents the ids of the clients. */

let door: Door;

beforeAll(async () => {
  // No minute ends while guesses are counted.
  door = await openDoor({ clock: new SettableClock() });
});

afterAll(() => door.stop());

function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

const LENGTH = 200_000;
const TIMES = 100;

/** A minute's guesses of one address, whatever clients it names. */
const GUESSES = 1000;
const AT_ONCE = 50;
/** A minute's guesses at one client from one address that are compared. */
const LOOKS = 3000;

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

test('row T12 whoever invents a client for each guess is told to slow down, and an app beside it is served', async () => {
  const left = Array.from({ length: GUESSES + AT_ONCE }, (_, number) => number);
  const answers: RawAnswer[] = [];
  const guessOn = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) answers.push(await guess(next, 30));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, guessOn));
  const slowed = answers.filter(({ status }) => status === 429);
  expect(slowed.length).toBeGreaterThanOrEqual(AT_ONCE);
  expect(slowed.length).toBeLessThan(GUESSES / 2);
  const [last] = slowed;
  if (!last) throw new Error('nobody was told to slow down');
  expectTokenError(last, 429, 'slow_down');
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  expectTokenError(await exchange(door, newLegacyCode()), 400, 'invalid_grant');
});

test('row T12 guesses at one client are counted beyond the thousand, so that in the end none is compared', () => {
  const limit = createGuessLimit(door.bridge.context);
  const [clientId, address] = ['a-client', '192.0.2.77'];
  const guessWrong = () => {
    limit.check(clientId, address);
    limit.countWrong(clientId, address, { isShared: true });
  };
  for (let number = 0; number < LOOKS; number += 1)
    if (number < 10) guessWrong();
    else expect(guessWrong).toThrow('Too many failed attempts');
  expect(() => limit.check(clientId, address)).toThrow('Too many failed attempts');
});

test('row T12 the networks of one /48 have the thousand together', () => {
  const limit = createGuessLimit(door.bridge.context);
  const guessFrom = (number: number) => () =>
    limit.countWrong(`invented-${number}`, `2001:db8:5:${number.toString(16)}::1`, { isShared: false });
  for (let number = 0; number < GUESSES; number += 1) guessFrom(number)();
  expect(guessFrom(GUESSES)).toThrow('Too many failed attempts');
});
