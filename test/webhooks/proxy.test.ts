import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { goThrough } from '../../src/shared/net/outbound-proxy.ts';
import { portOf } from '../support/servers/free-port.ts';
import { openWebhookGround, rightSignatures, type WebhookGround } from './support/webhook-ground.ts';

/** Webhooks where the network lets nobody out without a proxy. */

const PUBLIC = '93.184.215.14';

let proxy: Server;
let ground: WebhookGround;
/** What the proxy was asked for. */
const asked: Array<string | undefined> = [];

beforeAll(async () => {
  proxy = createServer().on('connect', ({ url }: IncomingMessage, client: Socket) => {
    asked.push(url);
    const far = connect(ground.receiver.port, '127.0.0.1', () =>
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n'),
    );
    far.on('error', () => client.destroy()).pipe(client);
    client.on('error', () => far.destroy()).pipe(far);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const env = { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NO_PROXY: 'two.example' };
  ground = await openWebhookGround({ env });
});

afterAll(async () => {
  await ground.stop();
  goThrough(undefined);
  proxy.close();
  proxy.closeAllConnections();
});

beforeEach(async () => {
  await ground.forget();
  asked.length = 0;
});

const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });

async function tried(host: string) {
  const { id, secret } = await ground.add(ground.urlOf('/in', host));
  await sendTest(ground.system.bridge.context, { id, owner: owner() });
  await ground.deliver();
  return secret;
}

test('the proxy is asked for the address that was checked, and sees nothing of the message', async () => {
  ground.names.names['hooks.example'] = [PUBLIC];
  const secret = await tried('hooks.example');
  expect(asked).toEqual([`${PUBLIC}:${ground.receiver.port}`]);
  const [message] = ground.receiver.received;
  expect(message?.headers.host).toBe(`hooks.example:${ground.receiver.port}`);
  expect(message && rightSignatures(message, secret)).toBe(1);
});

test('a name in NO_PROXY is reached directly', async () => {
  ground.names.names['two.example'] = ['127.0.0.1'];
  await tried('two.example');
  expect(asked).toEqual([]);
  expect(ground.receiver.received).toHaveLength(1);
});
