import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { until } from '../support/servers/held-answer.ts';
import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';

/** Callers that come together while the process can take in none of them (`src/http/server.ts`). */

const CALLERS = 1000;

/** The system may let fewer wait for any process. */
const systemLimit = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
const testHere = systemLimit >= CALLERS ? test : test.skip;

interface Caller {
  socket: Socket;
  isConnected: boolean;
  received: string;
}

/** A caller that sends its request as soon as the kernel lets it. */
function come(port: number): Caller {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const caller = { socket, isConnected: false, received: '' };
  socket.once('connect', () => {
    caller.isConnected = true;
    socket.write('GET /health HTTP/1.1\r\nHost: bridge.example\r\n\r\n');
  });
  socket.on('data', (part: string) => (caller.received += part));
  socket.on('error', () => undefined);
  return caller;
}

describe.each(['1', '2'])('a bridge with %s workers', (workers) => {
  let bridge: FilledBridge;
  let callers: Caller[] = [];

  beforeAll(async () => {
    bridge = await startFilledBridge({ tokens: 1, env: { WORKERS: workers } });
  });

  afterAll(async () => {
    for (const { socket } of callers) socket.destroy();
    await bridge.stop();
  });

  testHere('holds a thousand connections while it cannot run, and then answers each of them', async () => {
    bridge.process.pause();
    try {
      callers = Array.from({ length: CALLERS }, () => come(bridge.port));
      // Where fewer may wait, the kernel drops what the others send, and lets none of them in until the process runs.
      await until(() => callers.every(({ isConnected }) => isConnected));
    } finally {
      bridge.process.resume();
    }
    await until(() => callers.every(({ received }) => received.startsWith('HTTP/1.1 200 ')), 60_000);
  });
});
