import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { rawForm } from '../../support/callers/raw-request.ts';
import { type Door, openDoor } from '../support/door.ts';
import { knock } from '../support/knock.ts';

/** Calls that stand behind others when their connection is cut give back what they hold (docs/threats.md F205). */

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());

/** A long body, of which a process reads few at a time. */
const LONG = `access_token=x&text=${'x'.repeat(20_000)}`;
const form = 'Content-Type: application/x-www-form-urlencoded';
const longCall = `POST /1/user.json HTTP/1.1\r\nHost: l\r\n${form}\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`;
const pages = 'GET /sign-in HTTP/1.1\r\nHost: l\r\n\r\n'.repeat(30);

/** More than there are places for the bodies of one network. */
const CONNECTIONS = 40;

/** Longer than it takes to begin what one connection sent, and shorter than to answer it. */
const CUT_AFTER = 60;

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function sendAndCut(): Promise<void> {
  const socket = await open();
  socket.write(pages + longCall);
  await delay(CUT_AFTER);
  socket.destroy();
}

async function expectFreePlace(): Promise<void> {
  const began = performance.now();
  const { status } = await knock(door, { method: 'POST', path: '/1/user.json', ...rawForm(LONG) });
  expect(status).toBe(401);
  expect(performance.now() - began).toBeLessThan(4000);
}

test('the places of their bodies are free again', async () => {
  for (let n = 0; n < CONNECTIONS; n += 1) await sendAndCut();
  await expectFreePlace();
});

test('the places that they were still waiting for are free again', async () => {
  const slow = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  for (const socket of slow) socket.write(longCall.slice(0, -1));
  await delay(CUT_AFTER);
  const waiting = await open();
  waiting.write(longCall.repeat(CONNECTIONS));
  await delay(5 * CUT_AFTER);
  waiting.destroy();
  await delay(CUT_AFTER);
  for (const socket of slow) socket.destroy();
  await expectFreePlace();
});
