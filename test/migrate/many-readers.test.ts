import { type Door, openDoor } from '../endpoints/support/door.ts';
import { getFrom } from '../endpoints/support/strangers.ts';

/** The public page of all old calls, asked for by very many. */

let door: Door;

beforeAll(async () => {
  door = await openDoor({ env: { TRUST_PROXY: '127.0.0.1' } });
});

afterAll(() => door.stop());

const get = (address: string) => getFrom(door.bridgeUrl, { path: '/migrate/calls', address });

test('one address gets the page 600 times within a minute, and another gets it on', async () => {
  const { counts } = door.bridge.context;
  expect((await get('203.0.113.9')).status).toBe(200);
  for (let count = 1; count < 600; count += 1) counts.count(['pages of all calls', '203.0.113.9']);
  const refused = await get('203.0.113.9');
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect((await get('203.0.113.10')).status).toBe(200);
});
