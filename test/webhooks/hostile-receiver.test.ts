import { addWebhook } from '../../src/domain/webhooks/change-webhooks.ts';
import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Receiver, RECEIVER_NAMES, startReceiver, withStatus } from './support/receiver.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/**
 * Webhooks whose owner is an attacker. The bridge may reach 127.0.0.2 and nothing else of this machine; on 127.0.0.1, the
 * inside, a server listens at the same port and knows the same names.
 */

let ground: WebhookGround;
let outside: Receiver;
let inside: Receiver;

const PUBLIC = '93.184.215.14';

beforeAll(async () => {
  const certified = certificateFor(RECEIVER_NAMES);
  outside = await startReceiver({ host: '127.0.0.2', certified });
  inside = await startReceiver({ host: '127.0.0.1', port: outside.port, certified });
  ground = await openWebhookGround({
    env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.2/32' },
    webhookAuthority: outside.authority,
  });
});

afterAll(async () => {
  await ground.stop();
  await inside.close();
  await outside.close();
});

beforeEach(async () => {
  const { durable } = ground.system.bridge.context.store;
  for (const table of ['webhook_deliveries', 'webhook_secrets', 'webhooks'] as const)
    await durable.deleteFrom(table).execute();
  outside.received.length = 0;
  outside.answer = withStatus(204);
  ground.names.names['hooks.example'] = ['127.0.0.2'];
});

const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });

const url = (host = 'hooks.example') => `https://${host}:${outside.port}/in`;

async function tried(address = url()) {
  const { id } = await ground.add(address);
  await sendTest(ground.system.bridge.context, { id, owner: owner() });
  await ground.deliver();
  const [row] = await ground.system.bridge.context.store.durable
    .selectFrom('webhook_deliveries')
    .select(['state', 'status', 'failure'])
    .where('webhook_id', '=', id)
    .execute();
  return row;
}

const refusalOf = async (address: string) => {
  const { context } = ground.system.bridge;
  const asked = { id: newHexId(), owner: owner(), url: address, events: ['token.stopped'] };
  const added = await addWebhook(context, { ...asked, actor: 'account:test', requestId: null });
  return typeof added === 'string' ? added : 'added';
};

test.each([
  ['no address', 'hooks', 'malformed'],
  ['http', 'http://hooks.example/in', 'not https'],
  ['another scheme', 'gopher://hooks.example/', 'not https'],
  ['a user', 'https://user@hooks.example/', 'with a secret'],
  ['a query', 'https://hooks.example/?key=1', 'with a secret'],
  ['an empty query', 'https://hooks.example/?', 'with a secret'],
  ['a fragment', 'https://hooks.example/#a', 'with a secret'],
  ['a token', `https://hooks.example/1/${'0a1b'.repeat(8)}`, 'with a secret'],
  ['loopback', 'https://127.0.0.1/', 'not public'],
  ['loopback as a number', 'https://2130706433/', 'not public'],
  ['loopback in hexadecimal', 'https://0x7f.1/', 'not public'],
  ['no address of this machine', 'https://0/', 'not public'],
  ['a private address', 'https://10.0.0.1/', 'not public'],
  ['the metadata of a cloud', 'https://169.254.169.254/latest', 'not public'],
  ['a mapped address', 'https://[::ffff:169.254.169.254]/', 'not public'],
  ['NAT64', 'https://[64:ff9b::a9fe:a9fe]/', 'not public'],
  ['a local IPv6 address', 'https://[fd00::1]/', 'not public'],
  ['a name that nobody knows', 'https://nobody.example/', 'not public'],
  ['a name of this machine', 'https://localhost/', 'not public'],
])('an address with %s is refused', async (_what, address, refusal) => {
  expect(await refusalOf(address)).toBe(refusal);
});

test.each([
  ['a private address', ['10.0.0.5']],
  ['a public and a private address', [PUBLIC, '10.0.0.5']],
  ['a public address, and a mapped one of the inside', [PUBLIC, '::ffff:127.0.0.1']],
  ['a local IPv6 address', ['fd00::5']],
])('a name that leads to %s is refused as one that nobody knows', async (_what, addresses) => {
  ground.names.names['hooks.example'] = addresses;
  expect(await refusalOf(url())).toBe(await refusalOf('https://nobody.example/'));
});

test('a name that leads inside after it was saved gets nothing, and nothing is opened', async () => {
  const { id } = await ground.add(url());
  ground.names.names['hooks.example'] = ['127.0.0.1'];
  await sendTest(ground.system.bridge.context, { id, owner: owner() });
  await ground.deliver();
  expect(inside.connections()).toBe(0);
  const rows = await ground.system.bridge.context.store.durable
    .selectFrom('webhook_deliveries')
    .select('failure')
    .execute();
  expect(rows).toEqual([{ failure: 'the address does not lead to a public server' }]);
});

test('a name that leads elsewhere right after it was looked up: the connection goes to what was checked', async () => {
  const { id } = await ground.add(url());
  await sendTest(ground.system.bridge.context, { id, owner: owner() });
  ground.names.asked.length = 0;
  let questions = 0;
  ground.names.names['hooks.example'] = () => {
    questions += 1;
    return questions <= 2 ? ['127.0.0.2'] : ['127.0.0.1'];
  };
  await ground.deliver();
  expect(outside.received).toHaveLength(1);
  expect(inside.connections()).toBe(0);
  // Once for each family of addresses.
  expect(ground.names.asked).toEqual(['hooks.example', 'hooks.example']);
});

test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
  outside.answer = withStatus(status, { location: `https://127.0.0.1:${outside.port}/secret` });
  expect(await tried()).toEqual({
    state: 'due',
    status,
    failure: 'the answer was a redirect, which is not followed',
  });
  expect(inside.connections()).toBe(0);
  expect(outside.received).toHaveLength(1);
});

test('an answer without end is left after its head', async () => {
  let isClosed = false;
  outside.answer = (response) => {
    response.writeHead(200);
    const more = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.once('close', () => {
      clearInterval(more);
      isClosed = true;
    });
  };
  const began = performance.now();
  expect(await tried()).toEqual({ state: 'delivered', status: 200, failure: null });
  expect(performance.now() - began).toBeLessThan(8000);
  await until(() => isClosed);
});

test('a head that comes letter by letter ends the attempt after ten seconds', async () => {
  let isClosed = false;
  outside.answer = (_response, _message, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = setInterval(() => socket.write('X'), 50);
    socket.once('close', () => {
      clearInterval(more);
      isClosed = true;
    });
  };
  expect(await tried()).toEqual({ state: 'due', status: null, failure: 'no answer came in time' });
  await until(() => isClosed);
}, 30_000);

test('a head without end is refused', async () => {
  outside.answer = (_response, _message, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(4000)}`);
  };
  const row = await tried();
  expect(row).toMatchObject({ state: 'due', failure: 'the connection was closed without an answer' });
});

test('an answer that switches protocols is no success, and gives its place back', async () => {
  outside.answer = (_response, _message, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  };
  expect(await tried()).toEqual({ state: 'due', status: 101, failure: 'the answer was no success' });
});

test('a connection that is closed without an answer is a failure', async () => {
  outside.answer = (_response, _message, socket) => socket.destroy();
  expect(await tried()).toEqual({
    state: 'due',
    status: null,
    failure: 'the connection was closed without an answer',
  });
});

test('a certificate for another name is refused before anything is sent', async () => {
  ground.names.names['stranger.example'] = ['127.0.0.2'];
  const row = await tried(url('stranger.example'));
  expect(row?.failure).toBe('the certificate of the server is not valid for this address');
  expect(outside.received).toEqual([]);
});

test('a port where nothing listens is a failure', async () => {
  const row = await tried('https://127.0.0.2:9/');
  expect(row).toEqual({ state: 'due', status: null, failure: 'no connection came about' });
});
