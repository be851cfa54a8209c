import { sendMessageAgain } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newOrderedId } from '../../src/shared/ids.ts';
import { DAY, HOUR, MINUTE } from '../../src/shared/lifetimes.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { readWebhook } from '../../src/store/webhooks/webhooks.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { withStatus } from './support/receiver.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** What becomes of the messages of a receiver that takes none for days. */

const MANY = 300;

/** The longest rest of a receiver. */
const REST = 36 * MINUTE;

describe(`with ${databaseKinds.join(' or ')}`, () => {
  let ground: WebhookGround;

  beforeAll(async () => {
    ground = await openWebhookGround();
  });
  afterAll(() => ground.stop());
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;
  const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });

  async function addMessages(webhookId: string, count: number): Promise<void> {
    const now = context().clock.now();
    const rows = Array.from({ length: count }, () => {
      const id = newOrderedId(now);
      return { id, webhook_id: webhookId, event: 'test', told: `test:${id}`, body: '{}', created_at: now };
    });
    await insertDeliveries(context().store.durable, rows);
  }

  const rows = async () =>
    context().store.durable.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();

  /** Lets time pass, with an attempt after each rest. */
  async function pass(time: number): Promise<void> {
    const end = ground.clock.now() + time;
    while (ground.clock.now() < end) {
      await ground.deliver();
      ground.clock.advance(REST);
    }
  }

  test('what waits for three days is given up, tried or not, and newer messages come when it is back', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    ground.receiver.answer = withStatus(503);
    await addMessages(id, MANY);
    await pass(2 * DAY);
    expect((await rows()).filter(({ state }) => state === 'due').length).toBeGreaterThan(MANY / 2);
    await addMessages(id, 1);
    await pass(DAY + 2 * HOUR);
    const [newest, ...old] = (await rows()).toReversed();
    expect(newest).toMatchObject({ state: 'due' });
    expect(old.every(({ state, ended_at: at }) => state === 'dead' && at !== null)).toBe(true);
    expect(old.filter(({ attempts }) => attempts === 0)).not.toEqual([]);
    expect(new Set(old.map(({ failure }) => failure))).toEqual(
      new Set([
        'the answer was no success',
        'the receiver failed eight times in a row, and the message was older than three days',
      ]),
    );
    ground.receiver.answer = withStatus(204);
    ground.clock.advance(DAY);
    await ground.deliver();
    expect((await rows()).at(-1)).toMatchObject({ id: newest?.id, state: 'delivered' });
  }, 60_000);

  test.each([0, 7])(
    'a message that waited while the bridge stood still is not given up for one failure after %i',
    async (failures) => {
      const { id } = await ground.add(ground.urlOf('/in'));
      await addMessages(id, 2);
      const before = { failures, tried_at: context().clock.now() };
      await context().store.durable.updateTable('webhooks').set(before).where('id', '=', id).execute();
      ground.clock.advance(4 * DAY);
      ground.receiver.answer = withStatus(503);
      await ground.deliver();
      expect((await rows()).map(({ state }) => state)).toEqual(['due', 'due']);
      ground.receiver.answer = withStatus(204);
      await pass(3 * REST);
      expect((await rows()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    },
  );

  test('an old message that a person sends again has its attempts anew', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    ground.receiver.answer = withStatus(503);
    await addMessages(id, MANY);
    await pass(3 * DAY + HOUR);
    const [first] = await rows();
    const asked = { id, owner: owner(), deliveryId: first?.id ?? '' };
    expect(await sendMessageAgain(context(), asked)).toBe(true);
    await ground.deliver();
    expect((await rows())[0]).toMatchObject({ state: 'due', attempts: 1 });
    await pass(4 * DAY);
    expect((await rows())[0]).toMatchObject({ state: 'dead' });
  }, 60_000);

  test('a message that a person sends again during an attempt in vain is not given up by that attempt', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    ground.receiver.answer = withStatus(503);
    await addMessages(id, MANY);
    await pass(3 * DAY + HOUR);
    const [first] = await rows();
    expect(first).toMatchObject({ state: 'dead' });
    await addMessages(id, 1);
    const asked = { id, owner: owner(), deliveryId: first?.id ?? '' };
    ground.receiver.answer = (response) => {
      ground.receiver.answer = withStatus(503);
      void sendMessageAgain(context(), asked).then(() => response.writeHead(503).end());
    };
    await ground.deliver();
    await ground.deliver();
    expect((await rows())[0]).toMatchObject({ state: 'due', attempts: 1 });
    expect(await readWebhook(context().store.durable, id)).toMatchObject({ failures: 2 });
  }, 60_000);
});
