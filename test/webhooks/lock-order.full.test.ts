import { setTimeout as sleep } from 'node:timers/promises';
import { removeWebhook } from '../../src/domain/webhooks/change-webhooks.ts';
import { sendMessageAgain, sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newOrderedId } from '../../src/shared/ids.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** What people do with a webhook takes its locks in the order of a claim: the webhook, then its messages. */

const ORIGIN = { actor: 'account:test', requestId: null };

describe('on PostgreSQL, which alone locks rows', () => {
  let database: TestDatabase;
  let ground: WebhookGround;

  beforeAll(async () => {
    database = await freshDatabase();
    ground = await openWebhookGround({ env: { DATABASE_URL: database.url } });
  });
  afterAll(async () => {
    await ground.stop();
    await database.drop();
  });
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;

  type Change = (asked: { id: string; deliveryId: string }) => Promise<unknown>;
  const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });
  const changes: Array<[string, 'dead' | 'due', Change]> = [
    ['sends a message again', 'dead', (asked) => sendMessageAgain(context(), { ...asked, owner: owner() })],
    ['sends a test at once', 'due', ({ id }) => sendTest(context(), { id, owner: owner() })],
    ['removes it', 'due', ({ id }) => removeWebhook(context(), { id, owner: owner(), ...ORIGIN })],
  ];

  test.each(changes)('a claim goes on while a person %s', async (_what, state, change) => {
    const { id } = await ground.add(ground.urlOf('/in'));
    const { durable } = context().store;
    const now = context().clock.now();
    const deliveryId = newOrderedId(now);
    const message = { id: deliveryId, webhook_id: id, event: 'test', told: 'test:1', body: '{}' };
    await insertDeliveries(durable, [{ ...message, created_at: now }]);
    await durable.updateTable('webhook_deliveries').set({ state, attempts: 1 }).execute();
    let changed: Promise<unknown> = Promise.resolve();
    await durable
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await tx.selectFrom('webhooks').select('id').where('id', '=', id).forNoKeyUpdate().execute();
        changed = change({ id, deliveryId });
        await sleep(300);
        const ofMessage = tx.selectFrom('webhook_deliveries').select('id').where('id', '=', deliveryId);
        expect(await ofMessage.forNoKeyUpdate().noWait().execute()).toHaveLength(1);
      });
    expect(await changed).toBeTruthy();
  });
});
