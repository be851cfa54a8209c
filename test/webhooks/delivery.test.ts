import { changeWebhookSecret } from '../../src/domain/webhooks/change-webhooks.ts';
import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { withStatus } from './support/receiver.ts';
import { openWebhookGround, rightSignatures, type WebhookGround } from './support/webhook-ground.ts';

/** Messages up to a real server with TLS: signed, sent again, given up. */

let ground: WebhookGround;

beforeAll(async () => {
  ground = await openWebhookGround();
});

afterAll(() => ground.stop());

beforeEach(async () => {
  const { durable } = ground.system.bridge.context.store;
  for (const table of ['webhook_deliveries', 'webhook_secrets', 'webhooks'] as const)
    await durable.deleteFrom(table).execute();
  ground.receiver.received.length = 0;
  ground.receiver.answer = withStatus(204);
});

const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });

const test1 = (id: string) => sendTest(ground.system.bridge.context, { id, owner: owner() });

const rows = () =>
  ground.system.bridge.context.store.durable
    .selectFrom('webhook_deliveries')
    .selectAll()
    .orderBy('id')
    .execute();

test('a message arrives once, signed as the specification says', async () => {
  const { id, secret } = await ground.add(ground.urlOf('/in'));
  await test1(id);
  await ground.deliver();
  await ground.deliver();
  const [message, ...others] = ground.receiver.received;
  expect(others).toEqual([]);
  expect(message?.path).toBe('/in');
  expect(message?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'grantbridge' });
  expect(message?.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{24}$/);
  expect(Number(message?.headers['webhook-timestamp'])).toBe(Math.floor(ground.clock.now() / 1000));
  expect(message && rightSignatures(message, secret)).toBe(1);
  expect(JSON.parse(message?.body ?? '')).toEqual({
    type: 'test',
    timestamp: new Date(ground.clock.now()).toISOString(),
    data: { webhook_id: id },
  });
  expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 1, status: 204, failure: null }]);
});

test('an answer of 500 and a later one of 200: the same message comes again after a pause', async () => {
  const { id, secret } = await ground.add(ground.urlOf('/in'));
  ground.receiver.answer = withStatus(500);
  await test1(id);
  await ground.deliver();
  expect(await rows()).toMatchObject([{ state: 'due', attempts: 1, status: 500 }]);
  await ground.deliver();
  expect(ground.receiver.received).toHaveLength(1);
  ground.receiver.answer = withStatus(200);
  ground.clock.advance(MINUTE * 1.21);
  await ground.deliver();
  const [first, second] = ground.receiver.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
  expect(second && rightSignatures(second, secret)).toBe(1);
  expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 2, status: 200, failure: null }]);
});

test('after eight attempts a message is given up', async () => {
  const { id } = await ground.add(ground.urlOf('/in'));
  ground.receiver.answer = withStatus(503);
  await test1(id);
  for (let days = 0; days < 12; days += 1) {
    await ground.deliver();
    ground.clock.advance(DAY * 1.21);
  }
  expect(ground.receiver.received).toHaveLength(8);
  expect(await rows()).toMatchObject([
    { state: 'dead', attempts: 8, status: 503, failure: 'the answer was no success' },
  ]);
});

test('the pauses grow from a minute to a day', async () => {
  const { id } = await ground.add(ground.urlOf('/in'));
  ground.receiver.answer = withStatus(503);
  await test1(id);
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    await ground.deliver();
    const [row] = await rows();
    pauses.push((row?.next_at ?? 0) - ground.clock.now());
    ground.clock.set(row?.next_at ?? 0);
  }
  const least = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * MINUTE);
  expect(pauses.map((pause, at) => pause >= (least[at] ?? 0) && pause <= (least[at] ?? 0) * 1.2)).toEqual(
    least.map(() => true),
  );
});

test('410 gives a message up at once', async () => {
  const { id } = await ground.add(ground.urlOf('/in'));
  ground.receiver.answer = withStatus(410);
  await test1(id);
  await ground.deliver();
  expect(await rows()).toMatchObject([{ state: 'dead', attempts: 1, status: 410 }]);
});

test('for a day after a new secret messages are signed with both, then with the new one', async () => {
  const { context } = ground.system.bridge;
  const { id, secret: former } = await ground.add(ground.urlOf('/in'));
  const asked = { id, owner: owner(), actor: 'account:test', requestId: null, secretId: newHexId() };
  const changed = await changeWebhookSecret(context, asked);
  const secret = typeof changed === 'object' ? changed.secret : '';
  expect(await changeWebhookSecret(context, asked)).toBe('known');
  await test1(id);
  await ground.deliver();
  ground.clock.advance(DAY);
  await test1(id);
  await ground.deliver();
  const [both, one] = ground.receiver.received;
  expect(both && [secret, former].map((each) => rightSignatures(both, each))).toEqual([1, 1]);
  expect(one && [secret, former].map((each) => rightSignatures(one, each))).toEqual([1, 0]);
});
