import { openDoor, type Door } from './support/door.ts';
import { issueToken, read } from '../support/legacy-calls.ts';
import { sendRaw } from '../support/raw-request.ts';
let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.stop());
test('probe', async () => {
  const t0 = Date.now();
  const token = await issueToken(door);
  console.log(token, Date.now() - t0);
  console.log((await read(door, '/1/profiles.json', token)).status);
  console.log(await sendRaw(door.bridgeUrl, { path: '/oauth2/authorize?client_id=x' }));
});
