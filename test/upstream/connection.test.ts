import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuthorizationServer } from '../../src/upstream/authorization-server.ts';
import { portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';

const PAIR = {
  access_token: 'a',
  refresh_token: 'r2',
  token_type: 'Bearer',
  expires_in: 60,
  scope: 'account:read',
};

/** Of the whole process. */
const countSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

/** What an earlier test file left behind may still be closing, so a moment is given first. */
async function openSockets(): Promise<number> {
  await delay(200);
  return countSockets();
}

/** The server would close one that was kept only after five seconds. */
const untilAtMost = (count: number) => until(() => countSockets() <= count, 4000);

describe('the one connection of an exchange with the modern side', () => {
  let modern: Server;

  beforeEach(async () => {
    modern = createServer((request, response) => {
      request
        .resume()
        .once('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(PAIR)));
    });
    modern.listen(0, '127.0.0.1');
    await once(modern, 'listening');
  });

  afterEach(() => {
    modern.close();
    modern.closeAllConnections();
  });

  const asClient = () =>
    createAuthorizationServer({
      authUrl: `http://127.0.0.1:${portOf(modern)}`,
      client: { clientId: 'bridge', clientSecret: undefined },
      clock: { now: Date.now },
    });

  test('is gone after ten answered refreshes, so that years of them do not use up the process', async () => {
    const server = asClient();
    const before = await openSockets();
    for (let round = 0; round < 10; round++) {
      const connection = await server.connect();
      await server.refresh(connection, {
        refreshToken: `presented${round}`,
        scope: 'account:read',
        account: 'a',
      });
    }

    await untilAtMost(before);
  });

  test('is gone when it was opened and then not needed', async () => {
    const before = await openSockets();
    const connection = await asClient().connect();
    connection.reset();

    await untilAtMost(before);
  });
});
