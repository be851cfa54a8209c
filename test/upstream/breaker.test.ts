import { once } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '../../src/shared/log/logger.ts';
import { createMainApi } from '../../src/upstream/main-api.ts';
import { createReadBreaker } from '../../src/upstream/read-breaker.ts';
import { portOf } from '../support/servers/free-port.ts';

/** What opens the breaker before reads: faults of the server, and no refusal of one account. */

let status = 200;
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  request.resume().once('end', () => response.writeHead(status, { 'retry-after': '0' }).end('{}'));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** A process with its breaker. Its clock runs ahead, so that no request to wait is obeyed. */
function startReading() {
  const apiUrl = `http://127.0.0.1:${portOf(server)}`;
  const logger = createLogger({ level: 'error', name: 'test' });
  const reads = createReadBreaker({ apiUrl, silence: () => undefined, logger });
  let passed = 0;
  const clock = { now: () => Date.now() + (passed += 10_000) };
  const mainApi = createMainApi({ apiUrl, clock, reads });
  const ask = async (token: string, answer: number) => {
    status = answer;
    await mainApi.ask(token, '{}').catch(() => undefined);
  };
  return { reads, ask };
}

test('faults for three accounts in a row open it, and nothing more is sent', async () => {
  const { reads, ask } = startReading();
  for (const token of ['a', 'b', 'c']) {
    expect(reads.isOpen()).toBe(false);
    await ask(token, 502);
  }
  expect(reads.isOpen()).toBe(true);
  const before = asked;
  await ask('d', 200);
  expect(asked).toBe(before);
});

test('an urgent read is sent all the same, and its answer closes it', async () => {
  const { reads, ask } = startReading();
  for (const token of ['a', 'b', 'c']) await ask(token, 500);
  status = 200;
  const sent = reads.run({ of: 'd', isUrgent: true, send: async () => ({ status, headers: {}, body: '' }) });
  expect((await sent).status).toBe(200);
  expect(reads.isOpen()).toBe(false);
});

test('faults for one account alone do not open it', async () => {
  const { reads, ask } = startReading();
  for (let number = 0; number < 10; number += 1) await ask('a', 500);
  expect(reads.isOpen()).toBe(false);
});

test('an answer in between begins the count anew', async () => {
  const { reads, ask } = startReading();
  for (const token of ['a', 'b']) await ask(token, 503);
  await ask('c', 200);
  for (const token of ['d', 'e']) await ask(token, 503);
  expect(reads.isOpen()).toBe(false);
});

test.each([400, 401, 403, 404, 429])('refusals with %i do not open it', async (refusal) => {
  const { reads, ask } = startReading();
  for (const token of ['a', 'b', 'c', 'd', 'e']) await ask(token, refusal);
  expect(reads.isOpen()).toBe(false);
});

/** So many calls at once, and so often. */
async function callOften(reads: ReturnType<typeof startReading>['reads'], answer: number, rounds: number) {
  const send = async () => ({ status: answer, headers: {}, body: '' });
  for (let round = 0; round < rounds; round += 1)
    await Promise.all(Array.from({ length: 100 }, () => reads.run({ of: 'a', send })));
}

test('faults for one account alone do not open it, however many', async () => {
  const { reads } = startReading();
  await callOften(reads, 500, 250);
  expect(reads.isOpen()).toBe(false);
});

test('nothing is kept of calls that have ended', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { reads } = startReading();
  const used = async () => {
    await callOften(reads, 200, 2000);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const first = await used();
  // A number kept of each call would take 1.6 MB.
  expect((await used()) - first).toBeLessThan(800_000);
});
