import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { claimDelivery } from '../../src/store/webhooks/deliveries.ts';
import { sendWebhooks } from '../../src/domain/webhooks/deliver.ts';
import { until } from '../support/servers/held-answer.ts';
import { withStatus } from './support/receiver.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** Who waits for whom, and who may send a message. */

let ground: WebhookGround;

beforeAll(async () => {
  ground = await openWebhookGround();
});
afterAll(() => ground.stop());
beforeEach(() => ground.forget());

const context = () => ground.system.bridge.context;
const SLOW = 'slow-receiver-app';

/** Apps of attackers, each with webhooks to one receiver that never answers. */
async function addSilent(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const app = await ground.system.registerApp(`https://${SLOW}-${at}.example/cb`);
    const owner = { kind: 'app', clientId: app.clientId } as const;
    const { id } = await ground.add(ground.urlOf('/silent', 'two.example'), ['token.stopped'], owner);
    await sendTest(context(), { id, owner });
  }
}

const pathsOf = () => ground.receiver.received.map(({ path }) => path);

test('receivers that never answer do not delay one that answers quickly', async () => {
  const owner = { kind: 'app', clientId: ground.system.app.clientId } as const;
  const { id } = await ground.add(ground.urlOf('/quick'));
  await sendTest(context(), { id, owner });
  await ground.deliver();
  ground.receiver.answer = (response, { path }) => void (path === '/quick' && response.writeHead(204).end());
  await addSilent(6);
  const began = performance.now();
  await sendWebhooks(context());
  await until(() => pathsOf().filter((path) => path === '/silent').length === 4);
  await sendTest(context(), { id, owner });
  await sendWebhooks(context());
  await until(() => pathsOf().filter((path) => path === '/quick').length === 2);
  expect(performance.now() - began).toBeLessThan(9000);
  // The two that had no place come when the first four have had their ten seconds.
  await until(() => pathsOf().filter((path) => path === '/silent').length === 6, 30_000);
  expect(performance.now() - began).toBeGreaterThan(9000);
  ground.receiver.answer = withStatus(204);
  await ground.deliver();
}, 60_000);

const claim = (claimId: string) => {
  const now = context().clock.now();
  const instance = context().instance.seen();
  return claimDelivery(context().store.durable, {
    claimId,
    now,
    until: now + MINUTE,
    isSlow: true,
    instance,
  });
};

async function due(): Promise<void> {
  const owner = { kind: 'app', clientId: ground.system.app.clientId } as const;
  const { id } = await ground.add(ground.urlOf('/in'));
  await sendTest(context(), { id, owner });
}

test('a process that dies at an attempt leaves the message to the next one, under the same id', async () => {
  await due();
  const claimed = await claim(newHexId());
  await ground.deliver().catch(() => undefined);
  expect(ground.receiver.received).toEqual([]);
  ground.clock.advance(MINUTE);
  await ground.deliver();
  expect(ground.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
    `msg_${claimed?.id}`,
  ]);
});

test('a message is claimed once', async () => {
  await due();
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(newHexId())));
  expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
});

test('on a copy no message is claimed', async () => {
  await due();
  const { durable } = context().store;
  await durable.updateTable('instance').set({ state: 'copy' }).execute();
  expect(await claim(newHexId())).toBeUndefined();
  await durable.updateTable('instance').set({ state: 'original' }).execute();
  expect(await claim(newHexId())).toBeDefined();
});
