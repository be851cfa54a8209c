import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { noteArrival } from '../../../src/http/arrived-at.ts';
import { createCallRefusal } from '../../../src/http/overload/refuse-call.ts';
import { scrape, sumOf } from '../../metrics/support/scrape.ts';
import { portOf } from '../../support/servers/free-port.ts';
import { type Door, openDoor } from '../support/door.ts';

/** A read that is refused in an overload because it waited too long for its turn counts with that wait. */

const WAITED = 200;

let door: Door;
let server: Server;

beforeAll(async () => {
  door = await openDoor();
  const refuse = createCallRefusal(door.bridge.context);
  server = createServer((req, res) => {
    noteArrival(req, performance.now());
    setTimeout(() => refuse({ req, res, path: '/1/user.json', isSecure: false, carrier: 'header' }), WAITED);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.close();
  await door.stop();
});

test('an overload looks no faster than it is', async () => {
  expect((await fetch(`http://127.0.0.1:${portOf(server)}/1/user.json`)).status).toBe(503);
  const labels = { endpoint: 'user', answered_by: 'bridge' };
  const seconds = sumOf(await scrape(door.bridgeUrl), 'grantbridge_call_seconds_sum', labels);
  expect(seconds).toBeGreaterThan(0.9 * (WAITED / 1000));
});
