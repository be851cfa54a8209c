import { createOldBackend } from '../../../src/upstream/old-backend.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectRefusal } from '../support/expectations.ts';
import { TOKEN } from './stage.ts';

/** Writes that wait for a place at the old API, while slow reads hold all that one account may have. */

const READ = '/1/user.json';
const CREATE = '/1/updates/create.json';
/** As many as one account may have. */
const PLACES = 50;
/** How long a passed call may take. A write waits for a third of it. */
const LIMIT = 6000;

let old: OldBackend;
let door: Door;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [{ tokens: [TOKEN], user: { id: '4f0c0a06512f7ef214000000' } }] });
  door = await openDoor({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  await addWaitingToken(door.bridge, { clientId: door.app.clientId, token: TOKEN });
  Object.assign(door.bridge.context, { oldBackend: createOldBackend(old.url, LIMIT) });
});

beforeEach(() => {
  old.requests.length = 0;
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const authorization = `Bearer ${TOKEN}`;
const read = () => sendRaw(door.bridgeUrl, { path: READ, headers: { authorization } });
const create = () =>
  sendRaw(door.bridgeUrl, { method: 'POST', path: CREATE, ...rawForm('text=hi', { authorization }) });

/** Holds all places with reads, until they are let go. */
async function holdPlaces() {
  let letGo: (() => void) | undefined;
  const sentAfter = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await old.setBehaviour({ path: READ, sentAfter });
  const reads = Promise.all(Array.from({ length: PLACES }, read));
  await until(() => old.requests.length === PLACES);
  return {
    async letGo() {
      letGo?.();
      return (await reads).map(({ status }) => status);
    },
  };
}

test('a write that gets no place while much of its time is left is not sent; a read waits for longer', async () => {
  const held = await holdPlaces();
  const waiting = read();
  const write = await create();
  expectRefusal(write, 503, 1000);
  expect(write.headers['retry-after']).toBe('5');
  expect(new Set(await held.letGo())).toEqual(new Set([200]));
  expect((await waiting).status).toBe(200);
  expect(old.seen('POST', CREATE)).toEqual([]);
  expect((await create()).status).toBe(200);
});
