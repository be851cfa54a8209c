import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { type Door, openDoor } from '../support/door.ts';

/** Answers with files that are the same for everybody, and that nobody reads (docs/threats.md F207). */

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());

/** On one connection, fewer than close it. */
const REQUESTS = 200;
const CONNECTIONS = 10;
const MEGABYTE = 1 << 20;

/** Connects, and asks for the same again and again. */
async function askOften(path: string): Promise<Socket> {
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: l\r\n\r\n`.repeat(REQUESTS));
  return socket;
}

/** As many requests whose answers are read. The connections take turns, so those of the others are begun before the last of these. */
async function askAndRead(): Promise<void> {
  const socket = await askOften('/assets/local-times.js');
  let [answers, text] = [0, ''];
  for await (const part of socket.setEncoding('latin1') as AsyncIterable<string>) {
    const pieces = (text + part).split('HTTP/1.1 200 ');
    answers += pieces.length - 1;
    text = pieces.at(-1)?.slice(-20) ?? '';
    if (answers >= REQUESTS) break;
  }
}

async function grownBy(path: string): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => askOften(path)));
  await askAndRead();
  const { arrayBuffers } = process.memoryUsage();
  for (const socket of sockets) socket.destroy();
  return arrayBuffers - before;
}

testInProcess('they hold no copy of the file each', async () => {
  for (const path of ['/assets/htmx.js', '/api/v1/openapi.json'])
    expect([path, Math.max(30, (await grownBy(path)) / MEGABYTE)]).toEqual([path, 30]);
});
