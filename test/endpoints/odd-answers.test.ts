import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type Server as TcpServer } from 'node:net';
import express from 'express';
import { answerDirectly } from '../../src/http/legacy/direct-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { portOf } from '../support/servers/free-port.ts';

/** Errors of an answer on the short way of frequent reads. None leaves its request: a rejection nobody hears ends the process. */

const listening = <S extends TcpServer | Server>(server: S): Promise<S> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

describe('an old API whose reason phrase nobody can write', () => {
  let old: TcpServer;
  let system: System;

  beforeAll(async () => {
    old = await listening(
      createServer((socket) => {
        socket.once('data', () =>
          socket.end('HTTP/1.1 200 O\u0001K\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'),
        );
        socket.on('error', () => undefined);
      }),
    );
    system = await startSystem({ env: { LEGACY_BACKEND_URL: `http://127.0.0.1:${portOf(old)}` } });
  });
  afterAll(async () => {
    await system.stop();
    old.close();
  });

  test.each(['/1/user.json', '/1/profiles.json', '/1/info/configuration.json', '/1/other.json'])(
    'its answer to %s goes back without the phrase',
    async (path) => {
      const answer = await sendRaw(system.bridgeUrl, {
        path,
        headers: { authorization: `Bearer 1/${'a'.repeat(32)}` },
      });
      expect(answer).toMatchObject({ status: 200, text: '{}' });
    },
  );
});

/** Fails as a refusal does once the head of the answer is out. */
const failures: express.ErrorRequestHandler = (_error, _req, res) => void res.setHeader('X-Late', '1');

test('a step that fails once its answer was sent, and a refusal that cannot be sent, end their own request alone', async () => {
  const steps = {
    '/late': () => Promise.reject(new Error('after the answer')),
    '/whole': () => undefined,
  };
  const calls = new Map(
    Object.entries(steps).map(([path, then]) => [
      path,
      { methods: ['GET'], steps: [(_req: unknown, res: express.Response) => (res.end('whole'), then())] },
    ]),
  );
  const logger = { error: jest.fn() };
  const server = await listening(
    createHttpServer(answerDirectly({ app: express(), calls, failures, logger: logger as never })),
  );
  const origin = `http://127.0.0.1:${portOf(server)}`;
  const escaped = jest.fn();
  process.on('unhandledRejection', escaped);
  await sendRaw(origin, { path: '/late' }).catch(() => undefined);
  expect((await sendRaw(origin, { path: '/whole' })).text).toBe('whole');
  process.off('unhandledRejection', escaped);
  server.close();
  expect(escaped).not.toHaveBeenCalled();
  expect(logger.error).toHaveBeenCalledTimes(1);
});
