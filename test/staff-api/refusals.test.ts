import { gzipSync } from 'node:zlib';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { expectAlive } from '../endpoints/support/knock.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, appWithTwoSecrets, openGround, underAddress, waitingIn } from './support/ground.ts';

/** What a wrong request meets: a problem that says where the mistake is, and no change. */

let ground: ApiGround;
let program: Program;
let key: string;
const reason = 'ticket 4711';

beforeAll(async () => {
  ground = await openGround('sqlite');
  ({ key } = await keyFor(ground, 'lead'));
  program = programOf(ground, key);
});
afterAll(async () => {
  await expectAlive(ground);
  await ground.stop();
});

interface Mistakes {
  errors: Array<{ in: string; pointer: string; detail: string }>;
}

const mistakesIn = ({ json }: { json: unknown }) => (json as Mistakes).errors.map(({ pointer }) => pointer);

test('every mistake is named at its place', async () => {
  const answer = await program.post(`/apps/${ground.app.clientId}/extend`, {
    date: 'never',
    until: 'soon',
    more: 1,
  });
  expect(problemIn(answer)).toBe('422 invalid-request');
  expect(mistakesIn(answer).toSorted()).toEqual(['', '/date', '/reason', '/until']);
  expect(mistakesIn(await program.get('/apps?cursor=a&cursor=b&page=2'))).toEqual(['/cursor', '']);
  expect(mistakesIn(await program.get('/numbers/apps?days=0'))).toEqual(['/days']);
  expect(mistakesIn(await program.get('/desks/died-today?zone=Nowhere'))).toEqual(['/zone']);
});

test('a reason with a secret is refused and repeated nowhere', async () => {
  const { mappingId } = await waitingIn(ground);
  const secret = newLegacyToken();
  const answer = await program.post(`/tokens/${mappingId}/revoke`, { reason: `it was ${secret}` });
  expect([problemIn(answer), mistakesIn(answer)]).toEqual(['422 invalid-request', ['/reason']]);
  expect(answer.text).not.toContain(secret);
  const named = await program.post(`/tokens/${mappingId}/revoke`, { reason, [secret]: 1 });
  expect([problemIn(named), named.text.includes(secret.slice(2))]).toEqual(['422 invalid-request', false]);
});

test('a token or an API key in the place of an id begins no job, and is kept nowhere', async () => {
  const { token } = await waitingIn(ground, 'observed');
  const [clientId, before] = [ground.app.clientId, await rowsOf(ground)];
  const bodies: Array<[path: string, body: object, pointer: string]> = [
    ['assign-tokens', { token_ids: [newHexId(), token], client_id: clientId }, '/token_ids/1'],
    ['assign-tokens', { token_ids: [newHexId()], client_id: token }, '/client_id'],
    ['extend-apps', { client_ids: [token], date: 'retirement', until: '2099-01-01' }, '/client_ids/0'],
    ['make-links', { account_ids: [token], client_id: clientId }, '/account_ids/0'],
    ['make-links', { account_ids: ['id_of-an-import', key], client_id: clientId }, '/account_ids/1'],
    ['make-links', { account_ids: ['id_of-an-import'], client_id: token }, '/client_id'],
  ];
  for (const [path, body, pointer] of bodies) {
    const answer = await program.post(`/jobs/${path}`, { ...body, reason });
    expect([problemIn(answer), mistakesIn(answer)]).toEqual(['422 invalid-request', [pointer]]);
    for (const secret of [token, key]) expect(answer.text).not.toContain(secret);
  }
  const after = await rowsOf(ground);
  expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual([]);
});

test('an app that cannot be registered is told every problem', async () => {
  const answer = await program.post('/apps', { name: '', callbacks: ['http://a.example'], owner: 'nobody?' });
  expect(mistakesIn(answer).toSorted()).toEqual(['/callbacks', '/name', '/owner']);
});

const send = (headers: Record<string, string>, body: string | Buffer) =>
  sendRaw(ground.bridgeUrl, {
    method: 'POST',
    path: '/api/v1/search',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
  });

const JSON_TYPE = { 'content-type': 'application/json' };

test('a body that is no JSON object is refused in the form of the API', async () => {
  const form = await send({ 'content-type': 'application/x-www-form-urlencoded' }, 'text=a');
  expect(problemIn(form)).toBe('415 not-json');
  for (const text of ['{', '[]', '"a"', 'null', '{"text":']) {
    const answer = await send(JSON_TYPE, text);
    expect([text, problemIn(answer)]).toEqual([text, '400 unreadable-request']);
  }
  const packed = await send({ ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('{"text":"a"}'));
  expect(problemIn(packed)).toBe('415 not-json');
  expect(problemIn(await send(JSON_TYPE, JSON.stringify({ text: 'a'.repeat(20_000) })))).toBe(
    '413 body-too-large',
  );
  expect(form.headers['content-type']).toBe('application/problem+json');
});

test('without a right key no body is waited for', async () => {
  const began = performance.now();
  const answer = await sendRaw(ground.bridgeUrl, {
    method: 'POST',
    path: '/api/v1/search',
    headers: { ...JSON_TYPE, expect: '100-continue' },
    body: '{',
  });
  expect(problemIn(answer)).toBe('401 no-key');
  expect(performance.now() - began).toBeLessThan(5000);
});

test('what does not exist is told so', async () => {
  const id = newHexId();
  for (const path of [
    `/tokens/${id}`,
    `/apps/${id}`,
    `/accounts/${id}`,
    `/requests/${id}`,
    `/tokens/${id}/history`,
  ])
    expect([path, problemIn(await program.get(path))]).toEqual([path, '404 not-found']);
  const writes = { revoke: {}, probe: {}, link: {}, remind: { to: 'holder' }, assign: { client_id: id } };
  const pin = { email: 'pat@people.example', account_id: id };
  for (const [action, body] of Object.entries({ ...writes, pin }))
    expect([action, problemIn(await program.post(`/tokens/${id}/${action}`, { ...body, reason }))]).toEqual([
      action,
      '404 not-found',
    ]);
  expect(problemIn(await program.get('/tokens/%E0%A4%A'))).toBe('400 unreadable-request');
});

test('what stands otherwise is refused as on pages, and nothing changes', async () => {
  const { clientId, secretId } = await appWithTwoSecrets(ground);
  const { mappingId, email } = await underAddress(ground);
  const before = await rowsOf(ground);
  const refused = await Promise.all([
    program.post(`/apps/${clientId}/unextend`, { date: 'retirement', reason }),
    program.post(`/apps/${clientId}/secrets`),
    program.post(`/apps/${clientId}/cut-over`, { percent: 0, reason }),
    program.post(`/tokens/${ground.connected.mappingId}/assign`, { client_id: clientId, reason }),
    program.post(`/tokens/${ground.connected.mappingId}/link`, { reason }),
    program.post('/dates/retirement', { at: '2020-01-01', reason }),
    program.post('/reminders/resume', { address: 'nobody@people.example' }),
    program.post(`/brownouts/${newHexId()}/remove`),
  ]);
  expect(refused.map(problemIn)).toEqual(refused.map(() => '409 not-possible'));
  const pin = await program.post(`/tokens/${mappingId}/pin`, { email, account_id: newHexId(), reason });
  expect([problemIn(pin), mistakesIn(pin)]).toEqual(['422 invalid-request', ['/account_id']]);
  const after = await rowsOf(ground);
  expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual([]);
  expect(await program.post(`/apps/${clientId}/secrets/${secretId}/retire`)).toMatchObject({ status: 200 });
});

test('a page goes on where the page before ended', async () => {
  for (let made = 0; made < 55; made += 1) await waitingIn(ground);
  const seen: string[] = [];
  const all = `/apps/${ground.app.clientId}/tokens`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await program.get(cursor === '' ? all : `${all}?cursor=${encodeURIComponent(cursor)}`);
    const page = json as { tokens: Array<{ token_id: string }>; next_cursor: string | null };
    seen.push(...page.tokens.map(({ token_id: id }) => id));
    cursor = page.next_cursor;
  }
  expect(seen.length).toBeGreaterThan(55);
  expect(new Set(seen).size).toBe(seen.length);
});

test('the history is read by position to its end, and goes on there', async () => {
  const read = async (cursor: string) =>
    (await program.get(`/history?cursor=${cursor}`)).json as {
      entries: Array<{ position: number; action: string }>;
      next_cursor: string;
      has_more: boolean;
    };
  let page = await read('0');
  while (page.has_more) page = await read(page.next_cursor);
  const { mappingId } = await waitingIn(ground);
  await program.post(`/tokens/${mappingId}/revoke`, { reason });
  let actions: string[] = [];
  while (!actions.includes('token_revoked')) {
    page = await read(page.next_cursor);
    actions = [...actions, ...page.entries.map(({ action }) => action)];
  }
  expect(problemIn(await program.get('/history?cursor=999999999'))).toBe('409 not-possible');
  expect(problemIn(await program.get('/history?cursor=x'))).toBe('422 invalid-request');
  expect((await read(page.next_cursor)).entries).toEqual([]);
  const position = page.next_cursor.split('-')[0] ?? '';
  const entry = ground.bridge.context.store.durable
    .updateTable('events')
    .where('position', '=', Number(position));
  // The entry of a database that was restored and went on otherwise.
  await entry.set({ chain: 'key.another' }).execute();
  const refused = await program.get(`/history?cursor=${page.next_cursor}`);
  expect([problemIn(refused), (refused.json as { detail: string }).detail]).toEqual([
    '409 not-possible',
    expect.stringMatching(/is another one than before: the database was replaced .* without a cursor\.$/),
  ]);
});
