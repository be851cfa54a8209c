import { once } from 'node:events';
import { globalAgent } from 'node:http';
import { createServer, type Server } from 'node:net';

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** Below the range from which the system hands out ports of its own accord: a port from here stays free until used. */
const FIRST = 20_000;
const COUNT = 3000;

/** Each of jest's workers has ports of its own: one of them may choose what another has chosen and not yet bound. */
const OWN = FIRST + COUNT * (Number(process.env['JEST_WORKER_ID'] ?? 0) % 4);

/**
 * Test files of one process share nothing but Node's own modules, and fetch keeps connections to servers of earlier
 * files; so the count goes on across files and no port is used twice. Runs beside each other begin at different ones.
 */
const shared = globalAgent as typeof globalAgent & { portsTaken?: number };

function nextPort(): number {
  shared.portsTaken = (shared.portsTaken ?? process.pid * 131) + 1;
  return OWN + (shared.portsTaken % COUNT);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/** A loopback port that nobody uses: the issuer and PUBLIC_URL must be known before their servers listen. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried += 1) {
    const port = nextPort();
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}
