import { connectApp, exchangeForm, TOKEN_PATH } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { confirm, exchange, OWN_CLIENT, startSystemWithOwnClient } from '../exchange/support/own-client.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { exchangeFields, issueToken, tokenOf } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';

/** The lines of requests for tokens: they say which app's exchanges fail, whatever a stranger sends beside. */

type Line = Record<string, unknown>;

const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line) as Line);

interface Listener {
  door: Door;
  /** The lines with this message, once everything is written. */
  told: (message: string) => Promise<Line[]>;
}

let open: Door | undefined;

afterEach(async () => {
  await open?.stop();
  open = undefined;
});

async function listenTo(env: Record<string, string> = {}): Promise<Listener> {
  const log = logLines();
  const door = await openDoor({ env, log: { level: 'info', stream: log.stream } });
  open = door;
  return {
    door,
    async told(message) {
      await door.bridge.untilLogged();
      return parsed(log.lines()).filter((line) => line['message'] === message);
    },
  };
}

const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-request-id'];

const GIVEN = {
  method: 'POST',
  path: TOKEN_PATH,
  status: 400,
  ms: expect.any(Number) as number,
  answeredBy: 'bridge',
};

test('each refused exchange of an app that shows its secret has a line with the id of its answer', async () => {
  const { door, told } = await listenTo();
  const refuse = () => exchangeForm(door, exchangeFields(door.app, 'no code'));
  const ids = [idOf(await refuse()), idOf(await refuse()), idOf(await refuse())];
  const refused = { clientId: door.app.clientId, refusal: 'invalid_grant', detail: 'unknown code' };
  expect(await told('request')).toMatchObject(
    ids.map((requestId) => ({ level: 'info', ...GIVEN, ...refused, carrier: 'credentials', requestId })),
  );
  expect(await told('a legacy exchange was refused')).toMatchObject([
    { ...GIVEN, ...refused, requestId: ids[0] },
  ]);
});

test('a malformed exchange says in its line what was wrong with it', async () => {
  const { door, told } = await listenTo();
  const requestId = idOf(await exchangeForm(door, exchangeFields(door.app, '')));
  const [line] = await told('a legacy exchange was refused');
  const malformed = { refusal: 'invalid_request', detail: 'The parameter code is missing.' };
  expect(line).toMatchObject({ ...GIVEN, ...malformed, requestId });
  expect(line).not.toHaveProperty('clientId');
});

test('a wrong secret proves no app: of its refusals one has a line, with what is known of the request', async () => {
  const { door, told } = await listenTo();
  const fields = { ...exchangeFields(door.app, 'no code'), client_secret: 'a wrong secret' };
  const requestId = idOf(await exchangeForm(door, fields));
  await exchangeForm(door, fields);
  expect(await told('request')).toEqual([]);
  expect(await told('a legacy exchange was refused')).toMatchObject([
    { ...GIVEN, clientId: door.app.clientId, refusal: 'invalid_client', requestId },
  ]);
});

test('of one app twenty refused exchanges a minute have a line, however many calls of its tokens are refused', async () => {
  const { door, told } = await listenTo();
  const { token } = await connectApp(door);
  const call = (path: string) =>
    sendRaw(door.bridgeUrl, { path, headers: { authorization: `Bearer ${token}` } });
  await call('/1/user/deauthorize.json');
  for (let n = 0; n < 25; n += 1) await call('/1/user.json');
  for (let n = 0; n < 25; n += 1) await exchangeForm(door, exchangeFields(door.app, 'no code'));
  const lines = await told('request');
  expect([lines.filter(({ path }) => path === TOKEN_PATH).length, lines.length]).toEqual([20, 40]);
});

test('an exchange that fails after the secret was shown has a line too', async () => {
  const { door, told } = await listenTo();
  const { durable } = door.bridge.context.store;
  await durable.schema.alterTable('legacy_codes').renameTo('codes_away').execute();
  const requestId = idOf(await exchangeForm(door, exchangeFields(door.app, 'no code')));
  await durable.schema.alterTable('codes_away').renameTo('legacy_codes').execute();
  const failed = { clientId: door.app.clientId, refusal: 'temporarily_unavailable', requestId };
  expect(await told('request')).toMatchObject([{ ...GIVEN, status: 503, ...failed }]);
  expect(await told('a legacy exchange failed')).toMatchObject([{ ...GIVEN, status: 503, ...failed }]);
});

test('all: the line of an exchange names the app and the new token', async () => {
  const { door, told } = await listenTo({ LOG_REQUESTS: 'all' });
  const { mint } = await connectApp(door);
  const answer = await exchangeForm(door, exchangeFields(door.app, await mint()));
  const [line] = (await told('request')).filter(({ requestId }) => requestId === idOf(answer));
  expect(line).toMatchObject({ ...GIVEN, status: 200, clientId: door.app.clientId, carrier: 'credentials' });
  const { durable } = door.bridge.context.store;
  const ids = (await durable.selectFrom('mappings').select('id').execute()).map(({ id }) => id);
  expect(ids).toContain(line?.['mappingId']);
  const first = (await told('request')).find(({ path, status }) => path === TOKEN_PATH && status === 200);
  expect(first?.['mappingId']).not.toBe(line?.['mappingId']);
});

test('the line of a replayed code names the token that its first use gave', async () => {
  const { door, told } = await listenTo({ LEGACY_CODE_REPLAY: 'revoke' });
  const { mint } = await connectApp(door);
  const fields = exchangeFields(door.app, await mint());
  const token = tokenOf(await exchangeForm(door, fields));
  const requestId = idOf(await exchangeForm(door, fields));
  const { id: mappingId, reason } = (await mappingOf(door.bridge, token))!;
  expect(reason).toBe('code_replayed');
  const replayed = {
    ...GIVEN,
    clientId: door.app.clientId,
    mappingId,
    detail: 'code used before',
    requestId,
  };
  expect(await told('request')).toMatchObject([replayed]);
  expect(await told('a legacy exchange was refused')).toMatchObject([replayed]);
});

test('a hand-over names the app and the token that was shown, also where it is refused', async () => {
  const log = logLines();
  const env = { LOG_REQUESTS: 'all' };
  const system = await startSystemWithOwnClient({ env, log: { level: 'info', stream: log.stream } });
  const token = await issueToken(system);
  const bearer = { headers: { authorization: `Bearer ${token}` } };
  const handed = await exchange(system.bridgeUrl, token);
  const unasked = await exchange(system.bridgeUrl, token, { scope: 'x' });
  const away = await sendRaw(system.bridgeUrl, { path: '/1/user.json', ...bearer });
  const late = await exchange(system.bridgeUrl, 'no token');
  const unknown = await exchange(system.bridgeUrl, token, { client_id: 'nobody' });
  await confirm(system.bridgeUrl, token);
  const confirmed = await exchange(system.bridgeUrl, token);
  await system.bridge.untilLogged();
  await system.stop();
  const told = parsed(log.lines()).filter(({ message }) => message === 'request');
  const lineOf = (answer: { headers: Record<string, unknown> }) =>
    told.find(({ requestId }) => requestId === idOf(answer));
  const { mappingId, clientId } = lineOf(away) ?? {};
  expect([mappingId, clientId]).toEqual([expect.any(String), system.app.clientId]);
  expect(lineOf(handed)).toMatchObject({ status: 200, mappingId, clientId, carrier: 'credentials' });
  expect(lineOf(unasked)).not.toHaveProperty('clientId');
  const foreign = { refusal: 'invalid_request', detail: 'The subject token is not one of this app.' };
  expect(lineOf(late)).toMatchObject({ status: 400, clientId, ...foreign });
  // The answer holds a link.
  expect(confirmed.text).toContain('/apps/');
  expect(lineOf(confirmed)).toMatchObject({ clientId, detail: 'the app has confirmed this hand-over' });
  const refused = parsed(log.lines()).filter(({ message }) => message === 'a hand-over was refused');
  const detailOf = (answer: { headers: Record<string, unknown> }) =>
    refused.find(({ requestId }) => requestId === idOf(answer))?.['detail'];
  expect([unasked, unknown].map(detailOf)).toEqual(['The parameter scope is not served.', 'unknown client']);
  expect(lineOf(late)).not.toHaveProperty('mappingId');
  expect(JSON.stringify(told)).not.toContain(OWN_CLIENT.clientSecret);
});
