import { PassThrough } from 'node:stream';
import { findByToken } from '../../src/domain/tokens/resolve-token.ts';
import { revokeByHand } from '../../src/domain/tokens/revoke-token.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { expireGrantsOf } from '../support/bridge/expire-grants.ts';
import { type RawAnswer, sendRaw } from '../support/callers/raw-request.ts';
import { connectApp } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';

/** The line of one request: it tells an operator what became of the call, and holds no secret. */

type Line = Record<string, unknown>;

interface Listener {
  door: Door;
  token: string;
  /** The lines of requests since the last look, once everything is written. */
  lines: () => Promise<Line[]>;
}

async function listenTo(mode: 'off' | 'errors' | 'all', env: Record<string, string> = {}): Promise<Listener> {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (part: Buffer) => (text += part.toString()));
  const door = await openDoor({ env: { ...env, LOG_REQUESTS: mode }, log: { level: 'info', stream } });
  const { token } = await connectApp(door);
  const lines = async () => {
    await door.bridge.untilLogged();
    const all = text.split('\n').filter(Boolean);
    text = '';
    return all.map((line) => JSON.parse(line) as Line).filter(({ message }) => message === 'request');
  };
  await lines();
  return { door, token, lines };
}

let listener: Listener;

afterEach(() => listener.door.stop());

const read = (token: string, path = '/1/profiles.json'): Promise<RawAnswer> =>
  sendRaw(listener.door.bridgeUrl, { path, headers: { authorization: `Bearer ${token}` } });

const idOf = ({ headers }: RawAnswer) => headers['x-request-id'];

/** Ends the token of the listener. */
const end = () => read(listener.token, '/1/user/deauthorize.json');

test('a refused call of a known token has one line with its ids; a served one and a stranger have none', async () => {
  listener = await listenTo('errors');
  const { lines, token, door } = listener;
  const served = await read(token);
  await read(newLegacyToken());
  await end();
  const [refused, path] = [await read(token, `/1/user.json?access_token=${token}`), '/1/user.json'];
  expect([served.status, refused.status]).toEqual([200, 401]);
  const told = await lines();
  expect(told).toMatchObject([
    { level: 'info', method: 'GET', path, status: 401, requestId: idOf(refused), answeredBy: 'revoked' },
  ]);
  expect(told[0]).toMatchObject({ clientId: door.app.clientId, carrier: 'header', ms: expect.any(Number) });
  expect(told[0]?.['mappingId']).toMatch(/^[0-9a-f]{24}$/);
  expect(told[0]).toMatchObject({ reason: 'deauthorized', since: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(JSON.stringify(told)).not.toContain(token);
});

test('the call in which a token stops tells why, as each later one does', async () => {
  listener = await listenTo('errors', { PROFILES_FRESH_SECONDS: '0' });
  const { lines, token, door } = listener;
  await expireGrantsOf(door.bridge.context);
  const body = Buffer.from(JSON.stringify({ error: 'invalid_grant' }));
  door.proxy.onTokenAnswer = () => ({ status: 400, headers: { 'content-type': 'application/json' }, body });
  const statuses = [(await read(token)).status, (await read(token)).status];
  expect(statuses).toEqual([401, 401]);
  const [first, second, ...more] = await lines();
  expect(more).toEqual([]);
  const stop = { reason: 'grant_refused', since: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(first).toMatchObject({ answeredBy: 'refused', ...stop });
  expect(second).toMatchObject({ answeredBy: 'reauthorization_required', ...stop, since: first?.['since'] });
});

test('words of support stay out of the line: they may name somebody', async () => {
  listener = await listenTo('errors');
  const { lines, token, door } = listener;
  const { context } = door.bridge;
  const mapping = await findByToken(context, token);
  const by = { actor: 'test', requestId: null, reason: 'asked by jane@mail.example' };
  await revokeByHand(context, { mappingId: mapping?.id ?? '', ...by });
  expect((await read(token)).status).toBe(401);
  const told = await lines();
  expect(told).toMatchObject([{ answeredBy: 'revoked', reason: 'by hand' }]);
  expect(JSON.stringify(told)).not.toContain('jane');
});

test('of one app twenty lines a minute are written, whichever of its tokens was refused', async () => {
  listener = await listenTo('errors');
  await end();
  for (let call = 0; call < 30; call += 1) await read(listener.token);
  expect(await listener.lines()).toHaveLength(20);
});

test('all: every request has a line, pages and strangers too, and the query is left out', async () => {
  listener = await listenTo('all');
  const answers = [
    await read(listener.token),
    await read(newLegacyToken()),
    await read('', '/?x=secret-word'),
  ];
  const told = await listener.lines();
  expect(told.map(({ status, requestId }) => ({ status, requestId }))).toEqual(
    answers.map((answer) => ({ status: answer.status, requestId: idOf(answer) })),
  );
  expect(told[0]).toMatchObject({ answeredBy: 'new' });
  expect(JSON.stringify(told)).not.toContain('secret-word');
});

test('off: no request has a line', async () => {
  listener = await listenTo('off');
  await end();
  await read(listener.token);
  expect(await listener.lines()).toEqual([]);
});
