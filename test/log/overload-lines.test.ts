import { createServer, type Server } from 'node:http';
import { createBridgeApp } from '../../src/http/app.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { portOf } from '../support/servers/free-port.ts';

/** The lines of calls that an overloaded process refuses. */

let door: Door;
let server: Server;

beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());
afterEach(() => void server.close());

/** The bridge once more, as a process that refuses every call. */
async function serveOverloaded(logRequests: 'errors' | 'all', level = 'info') {
  const log = logLines();
  const { context } = door.bridge;
  const never = { isOn: () => true, arrives: () => true, admits: () => false, mayHaveKept: () => false };
  const overloaded = {
    ...context,
    overload: { ...context.overload, ...never },
    logger: createLogger({ level, name: 'test', stream: log.stream }),
  };
  const options = { rateLimitPerMinute: 0, trustProxy: [], logRequests };
  server = createServer(createBridgeApp({ ...options, context: overloaded }).answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lines = () => log.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  return { url: `http://127.0.0.1:${portOf(server)}`, lines };
}

const READ = '/1/profiles/4f/updates/sent.json';

async function refuseOfEach(url: string): Promise<unknown[]> {
  const answers = [
    await sendRaw(url, { path: `${READ}?access_token=1%2Fsecret` }),
    await sendRaw(url, { path: '/1/user.json', method: 'POST', ...rawForm('access_token=1%2Fsecret') }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  return answers.map(({ headers }) => headers['x-request-id']);
}

test('all: each refused call has a line with the id of its answer', async () => {
  const { url, lines } = await serveOverloaded('all');
  const [ofRead, ofPost] = await refuseOfEach(url);
  const told = { level: 'info', message: 'request', status: 503, ms: expect.any(Number) as number };
  expect(lines()).toMatchObject([
    { ...told, method: 'GET', path: READ, requestId: ofRead, carrier: 'query', answeredBy: 'bridge' },
    { ...told, method: 'POST', path: '/1/user.json', requestId: ofPost, carrier: 'body' },
  ]);
  expect(JSON.stringify(lines())).not.toContain('secret');
});

test('errors: no refused call has a line', async () => {
  const { url, lines } = await serveOverloaded('errors');
  await refuseOfEach(url);
  expect(lines()).toEqual([]);
});

test('at level debug each has a line in every mode', async () => {
  const { url, lines } = await serveOverloaded('errors', 'debug');
  const ids = await refuseOfEach(url);
  const told = lines().filter(({ message }) => message === 'request');
  expect(told.map(({ level, requestId }) => ({ level, requestId }))).toEqual(
    ids.map((requestId) => ({ level: 'debug', requestId })),
  );
});
