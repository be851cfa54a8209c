import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A balancer as one stands before several machines: round robin, connections that it keeps open, and no call sent twice.
 * It sends calls only to those whose `/ready` said yes at the last look.
 */

const LOOK_EVERY = 50;

interface Backend {
  origin: string;
  agent: Agent;
  isReady: boolean;
}

export interface Balancer {
  url: string;
  isReady(origin: string): boolean;
  /** Calls that it could not hand on, or whose answer was cut. */
  failures: string[];
  close(): Promise<void>;
}

/** One call on a connection that is kept open. */
function send(
  { origin, agent }: Backend,
  { method = 'GET', url = '/', headers }: Pick<IncomingMessage, 'method' | 'url'> & { headers?: object },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(new URL(url, origin), { method, agent, headers: { ...headers } }, resolve)
      .once('error', reject)
      .end();
  });
}

async function look(backend: Backend): Promise<void> {
  const answer = await send(backend, { url: '/ready' }).catch(() => undefined);
  answer?.resume();
  backend.isReady = answer?.statusCode === 200;
}

export async function startBalancer(origins: readonly string[]): Promise<Balancer> {
  const failures: string[] = [];
  const backends = origins.map(
    (origin): Backend => ({ origin, agent: new Agent({ keepAlive: true }), isReady: false }),
  );
  let turn = 0;
  const pass = async (req: IncomingMessage, res: ServerResponse) => {
    const ready = backends.filter(({ isReady }) => isReady);
    const backend = ready[(turn += 1) % ready.length];
    try {
      if (!backend) throw new Error('no backend is ready');
      const answer = await send(backend, req);
      res.writeHead(answer.statusCode ?? 0, { 'content-type': 'application/json' });
      for await (const chunk of answer) res.write(chunk);
      res.end();
    } catch (error) {
      failures.push(`${backend?.origin}: ${String(error)}`);
      res.writeHead(502).end();
    }
  };
  const server = createServer((req, res) => void pass(req, res)).listen(0, '127.0.0.1');
  // It closes no connection by itself: after a pause of this process of five seconds, a call would meet the close.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const closing = new AbortController();
  const watching = Promise.all(
    backends.map(async (backend) => {
      while (!closing.signal.aborted) {
        await look(backend);
        await delay(LOOK_EVERY);
      }
    }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (origin) => backends.some((backend) => backend.origin === origin && backend.isReady),
    failures,
    async close() {
      closing.abort();
      await watching;
      for (const { agent } of backends) agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
