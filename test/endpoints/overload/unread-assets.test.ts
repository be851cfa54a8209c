import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../../support/servers/held-answer.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { type Door, openDoor } from '../support/door.ts';

/** Answers with the files of pages that nobody reads (docs/threats.md F207). */

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());

/** On one connection, fewer than close it. */
const REQUESTS = 200;
const CONNECTIONS = 10;
const MEGABYTE = 1 << 20;

async function askWithoutReading(path: string): Promise<Socket> {
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: l\r\n\r\n`.repeat(REQUESTS));
  return socket;
}

testInProcess('they hold no copy of the file each', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => askWithoutReading('/assets/htmx.js')),
  );
  // What was sent after these requests is answered after they were begun.
  await until(async () => (await fetch(`${door.bridgeUrl}/health`)).ok);
  const { arrayBuffers } = process.memoryUsage();
  for (const socket of sockets) socket.destroy();
  expect(arrayBuffers - before).toBeLessThan(30 * MEGABYTE);
});
