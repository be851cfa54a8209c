import { openDoor, type Door } from './support/door.ts';
import { issueToken, read } from '../support/legacy-calls.ts';
import { sendRaw } from '../support/raw-request.ts';
let door: Door;
beforeAll(async () => { door = await openDoor({ env: process.env['PA'] ? { LEGACY_RATE_LIMIT: '60' } : {} }); });
afterAll(() => door.stop());
test('probe', async () => { 
  const step = process.env['STEP']!;
  let t = '';
  if (step >= '1') t = await issueToken(door);
  if (step >= '2') console.log((await read(door, '/1/profiles.json', t)).status);
  if (step === '3') (await sendRaw(door.bridgeUrl, { path: '/oauth2/authorize?client_id=x' }));
});
