import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../../src/upstream/http-client.ts';
import { portOf } from '../support/servers/free-port.ts';

/** A server that keeps connections alive and resets one when it is used again, as one does that was just closing it. */
async function startClosing() {
  const requests: string[] = [];
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    let answered = 0;
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (head: Buffer) => {
      requests.push(/^connection: (.*?)\r$/im.exec(head.toString('latin1'))?.[1] ?? '');
      if (answered > 0) return socket.resetAndDestroy();
      answered += 1;
      return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    /** What each request said of its connection. */
    requests,
    connections,
    close() {
      server.close();
      for (const socket of connections) socket.destroy();
    },
  };
}

test('a call that meets a connection which the peer was closing is sent once more on a new one', async () => {
  const server = await startClosing();
  try {
    for (let call = 1; call <= 3; call += 1) {
      expect(await send({ method: 'GET', url: server.url })).toMatchObject({ status: 200, body: '{}' });
      await delay(20);
    }
    // The second try has a connection for itself, which ends with it, and says so.
    expect(server.requests).toEqual(['keep-alive', 'keep-alive', 'close', 'keep-alive']);
    expect(server.connections.size).toBe(3);
  } finally {
    server.close();
  }
});
