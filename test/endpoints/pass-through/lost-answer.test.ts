import { createOldBackend } from '../../../src/upstream/old-backend.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectRefusal } from '../support/expectations.ts';
import { TOKEN } from './stage.ts';

/** Writes that are passed to the old API and whose answer is lost: a caller that is told to come again posts twice. */

const UPDATE = '/1/updates/4ecda256512f7ee521000001';
const PROFILE = '/1/profiles/4eb854340acb04e870000010';

let old: OldBackend;
let door: Door;

beforeAll(async () => {
  const user = { id: '4f0c0a06512f7ef214000000' };
  old = await startOldBackend({ accounts: [{ tokens: [TOKEN], user }] });
  door = await openDoor({ env: { LEGACY_BACKEND_URL: old.url } });
  await addWaitingToken(door.bridge, { clientId: door.app.clientId, token: TOKEN });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const call = (path: string, wanted: Partial<RawRequest> = {}, token = TOKEN) =>
  sendRaw(door.bridgeUrl, {
    method: 'POST',
    ...rawForm('text=hi'),
    ...wanted,
    path,
    headers: { ...rawForm('').headers, authorization: `Bearer ${token}` },
  });

function doubtOf(words: string, link = `${door.bridgeUrl}/apps/${door.app.clientId}`) {
  const message = `The old API did not answer. ${words} again.`;
  return { success: false, error: message, message, code: 1000, link };
}

const CARRIED_OUT = 'The call may have been carried out: look at the profile before you send the call';
const POSTED = 'The update may have been posted: look at the profile before you send the update';

test.each(['reset', 'cut', 'big'] as const)(
  'a create whose answer is lost (%s) is in doubt, and sent once',
  async (behaviour) => {
    await old.setBehaviour(behaviour);
    const answer = await call('/1/updates/create.json');
    expect([answer.status, answer.json]).toEqual([500, doubtOf(POSTED)]);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(old.requests).toHaveLength(1);
  },
);

test('a create without an answer in its time is in doubt', async () => {
  const { context } = door.bridge;
  const { oldBackend } = context;
  await old.setBehaviour('slow');
  Object.assign(context, { oldBackend: createOldBackend(old.url, 1000) });
  const answer = await call('/1/updates/create.json');
  Object.assign(context, { oldBackend });
  expect([answer.status, answer.json]).toEqual([500, doubtOf(POSTED)]);
  expect(old.requests).toHaveLength(1);
});

test('a create that found no connection may be sent again', async () => {
  await old.setBehaviour('down');
  const answer = await call('/1/updates/create.json');
  expect(answer.status).toBe(503);
  expect(answer.json).toMatchObject({ success: false, code: 1000 });
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
});

test.each([
  [`${UPDATE}/update.json`, 'The update may have been changed'],
  [`${UPDATE}/share.json`, 'The update may have been posted'],
  [`${UPDATE}/destroy.json`, 'The update may have been deleted'],
  [`${UPDATE}/move_to_top.json`, 'The update may have been moved'],
  [`${PROFILE}/updates/reorder.json`, 'The updates may have been reordered'],
  [`${PROFILE}/updates/shuffle.json`, 'The updates may have been shuffled'],
  [`${PROFILE}/schedules/update.json`, 'The posting times may have been changed'],
])('the doubt of %s has words of its own', async (path, may) => {
  await old.setBehaviour('reset');
  const answer = await call(path);
  const words = `${may}: look at the profile before you send the call`;
  expect([answer.status, answer.json]).toEqual([500, doubtOf(words)]);
});

test('a call that nobody knows is in doubt too, unless it is a GET', async () => {
  await old.setBehaviour('reset');
  const answer = await call('/1/contents/create.json');
  expect([answer.status, answer.json]).toEqual([500, doubtOf(CARRIED_OUT)]);
  for (const path of ['/1/contents/list.json', '/1/user.json'])
    expectRefusal(await call(path, { method: 'GET', body: '' }), 503, 1000);
  expectRefusal(await call('/1/user.json'), 503, 1000);
});

test.each([
  ['DELETE', `${UPDATE}.json`],
  ['PUT', '/1/profiles.json'],
  ['PATCH', '/1/profiles.xml'],
  ['POST', '/1/updates/bulk.json'],
])('%s of %s is no call that anybody knows, and in doubt', async (method, path) => {
  await old.setBehaviour('reset');
  const answer = await call(path, { method });
  expect([answer.status, answer.json]).toEqual([500, doubtOf(CARRIED_OUT)]);
});

test.each([
  ['POST', 'xml'],
  ['GET', 'json'],
  ['PUT', 'json'],
  ['DELETE', 'json'],
])('%s of create.%s is in doubt, in the form of a write', async (method, format) => {
  await old.setBehaviour('reset');
  const answer = await call(`/1/updates/create.${format}`, { method });
  expect([answer.status, answer.json]).toEqual([500, doubtOf(POSTED)]);
});

test('an end of a token may be sent again: it is safe twice', async () => {
  await old.setBehaviour('reset');
  expectRefusal(await call('/1/user/deauthorize.json'), 503, 1000);
});

test('a caller that the bridge does not know is sent to the page about both APIs', async () => {
  await old.setBehaviour('reset');
  const answer = await call('/1/updates/create.json', {}, `1/${'c3'.repeat(16)}`);
  expect([answer.status, answer.json]).toEqual([500, doubtOf(POSTED, `${door.bridgeUrl}/lifecycle`)]);
});

test.each([`${UPDATE}/destroy.json`, '/1/contents/list.json'])(
  'a GET of %s is not sent again over a new connection',
  async (path) => {
    for (let round = 0; round < 2; round++) await call('/1/user.json', { method: 'GET', body: '' });
    old.requests.length = 0;
    await old.setBehaviour('reset');
    await call(path, { method: 'GET', body: '' });
    expect(old.requests).toHaveLength(1);
  },
);
