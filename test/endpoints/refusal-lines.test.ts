import { PassThrough } from 'node:stream';
import { retireApp } from '../../src/domain/apps/retire-app.ts';
import { createRefusalLog } from '../../src/shared/log/refusal-log.ts';
import { createLogger } from '../../src/shared/log/logger.ts';
import { until } from '../support/servers/held-answer.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { TOKEN_PATH } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';

/** Log lines that anybody can cause: nobody fills the log with them. */

function collecting() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const lines = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { stream, lines };
}

const log = collecting();
let door: Door;

beforeAll(async () => {
  const env = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://bridge.example' };
  door = await openDoor({ env, log: { level: 'info', stream: log.stream } });
});

afterAll(() => door.stop());

const from = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });

const refusals = () => log.lines().filter(({ message }) => message === 'a legacy exchange was refused');

test('refusals of one network are one line, however many there are', async () => {
  for (let n = 0; n < 50; n++) {
    const content = rawForm('grant_type=x', from(`10.9.8.${n}`));
    await sendRaw(door.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...content });
  }
  await sendRaw(door.bridgeUrl, {
    method: 'POST',
    path: TOKEN_PATH,
    ...rawForm('grant_type=x', from('10.9.9.1')),
  });
  await door.bridge.untilLogged();
  expect(refusals()).toHaveLength(2);
});

/** An exchange from one network; the id of the request. */
async function exchangeFrom(network: string, fields: Record<string, string>): Promise<unknown> {
  const content = rawForm(new URLSearchParams(fields).toString(), from(`${network}.7`));
  const answer = await sendRaw(door.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...content });
  return answer.headers['x-request-id'];
}

test('every app whose exchange is refused has a line that names it, though they share a network; a stranger is not named', async () => {
  const [one, other] = [door.app, await door.addApp()];
  const [network, before] = ['10.9.10', refusals().length];
  const ids = [
    await exchangeFrom(network, { ...exchangeFields(one, 'no code'), client_secret: 'a wrong secret' }),
    await exchangeFrom(network, exchangeFields(one, 'no code')),
    await exchangeFrom(network, exchangeFields(other, 'no code')),
    await exchangeFrom(network, {
      ...exchangeFields(other, 'no code'),
      client_id: '5e1f0c9a7b3d4e2f8a6cffff',
    }),
  ];
  await exchangeFrom(network, exchangeFields(other, 'no code'));
  await door.bridge.untilLogged();
  const told = refusals().slice(before);
  expect(told).toMatchObject([
    { clientId: one.clientId, refusal: 'invalid_client', detail: 'wrong secret', requestId: ids[0] },
    { clientId: one.clientId, refusal: 'invalid_grant', detail: 'unknown code', requestId: ids[1] },
    { clientId: other.clientId, refusal: 'invalid_grant', detail: 'unknown code', requestId: ids[2] },
    { refusal: 'invalid_client', requestId: ids[3] },
  ]);
  expect(told[3]).not.toHaveProperty('clientId');
});

test('an exchange of a retired app names the app and says so in the log, and its caller hears what a stranger hears', async () => {
  const app = await door.addApp();
  const before = refusals().length;
  const ask = async (clientId: string) => {
    const fields = { ...exchangeFields(app, 'no code'), client_id: clientId };
    const content = rawForm(new URLSearchParams(fields).toString(), from('10.9.12.7'));
    const { status, json } = await sendRaw(door.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...content });
    return { status, json };
  };
  await retireApp(door.bridge.context, {
    clientId: app.clientId,
    reason: 'given up',
    actor: 'command:Kim',
    requestId: null,
  });
  expect(await ask(app.clientId)).toEqual(await ask('5e1f0c9a7b3d4e2f8a6cffff'));
  await door.bridge.untilLogged();
  expect(refusals().slice(before)).toMatchObject([
    { clientId: app.clientId, refusal: 'invalid_client', detail: 'the app is retired' },
    { refusal: 'invalid_client', detail: 'unknown client' },
  ]);
});

test('each app has lines of its own for exchanges that failed, however often another app fails', async () => {
  const [one, other] = [door.app, await door.addApp()];
  const { durable } = door.bridge.context.store;
  await durable.schema.alterTable('legacy_codes').renameTo('codes_away').execute();
  for (let n = 0; n < 15; n++) await exchangeFrom('10.9.11', exchangeFields(one, 'no code'));
  const requestId = await exchangeFrom('10.9.11', exchangeFields(other, 'no code'));
  await durable.schema.alterTable('codes_away').renameTo('legacy_codes').execute();
  await door.bridge.untilLogged();
  const failed = log.lines().filter(({ message }) => message === 'a legacy exchange failed');
  const ofApp = ({ clientId }: { clientId: string }) =>
    failed.filter((line) => line['clientId'] === clientId);
  expect([ofApp(one).length, ofApp(other).length]).toEqual([10, 1]);
  expect(ofApp(other)).toMatchObject([{ refusal: 'temporarily_unavailable', requestId }]);
});

test('only a change of what /ready answers is a line', async () => {
  const { durable } = door.bridge.context.store;
  const ask = async () => (await sendRaw(door.bridgeUrl, { path: '/ready' })).status;
  await durable.schema.alterTable('apps').renameTo('apps_away').execute();
  await until(async () => (await ask()) === 503);
  for (let n = 0; n < 5; n++) expect(await ask()).toBe(503);
  await durable.schema.alterTable('apps_away').renameTo('apps').execute();
  await until(async () => (await ask()) === 200);
  for (let n = 0; n < 5; n++) expect(await ask()).toBe(200);
  await door.bridge.untilLogged();
  const told = log.lines().filter(({ message }) => /ready|database does not answer/.test(String(message)));
  expect(told.map(({ level, message }) => `${String(level)}: ${String(message)}`)).toEqual([
    'error: not ready',
    'warn: ready again',
  ]);
});

test('what was counted is told by a bridge that stops before the minute is over', async () => {
  const own = collecting();
  const stopped = await openDoor({ log: { level: 'info', stream: own.stream } });
  const fields = new URLSearchParams({ ...exchangeFields(stopped.app, 'no code'), client_secret: 'wrong' });
  for (let n = 0; n < 6; n++)
    await sendRaw(stopped.bridgeUrl, { method: 'POST', path: TOKEN_PATH, ...rawForm(fields.toString()) });
  await stopped.stop();
  const told = own.lines().filter(({ message }) => message === 'a legacy exchange was refused');
  expect(told).toMatchObject([
    { clientId: stopped.app.clientId },
    { clientId: stopped.app.clientId, unwritten: 5, network: expect.any(String) as string },
  ]);
});

const refusal = (address: string) => ({
  level: 'info' as const,
  message: 'refused',
  address,
  kind: 'x',
  common: { clientId: 'one' },
  fields: {},
});

test('what was counted in a minute is told when it is over, of few networks by name and of the others together', async () => {
  const { stream, lines } = collecting();
  const logger = createLogger({ level: 'info', name: 'test', stream });
  const note = createRefusalLog({ logger, minute: 50 });
  for (let n = 0; n < 3; n++) note(refusal('10.0.0.1'));
  for (let n = 0; n < 1000; n++) note(refusal(`10.${n >> 8}.${n & 255}.1`));
  await until(() => lines().some(({ network }) => network === 'others'));
  expect(lines().filter(({ network }) => network === undefined)).toHaveLength(201);
  const counted = lines().filter(({ network }) => network !== undefined);
  expect(counted).toMatchObject([
    { network: '10.0.0.0/24', kind: 'x', clientId: 'one', unwritten: 3 },
    { network: 'others', unwritten: 799 },
  ]);
  expect(counted[1]).not.toHaveProperty('clientId');
  for (const { lastAt, timestamp } of counted) expect(String(lastAt) <= String(timestamp)).toBe(true);
});
