import { addWebhook, WEBHOOKS_MAX } from '../../src/domain/webhooks/change-webhooks.ts';
import { purgeWebhooks } from '../../src/domain/webhooks/purge-webhooks.ts';
import { keepMessages, WAITING_MAX } from '../../src/domain/webhooks/message.ts';
import { newHexId, newOrderedId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** How many webhooks, messages and rows there are at most. */

describe(`with ${databaseKinds.join(' or ')}`, () => {
  let ground: WebhookGround;

  beforeAll(async () => {
    ground = await openWebhookGround();
  });
  afterAll(() => ground.stop());
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;
  const durable = () => context().store.durable;
  const owner = () => ({ kind: 'app' as const, clientId: ground.system.app.clientId });

  const rows = async () => durable().selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();

  test('row W9 an app has five webhooks at most', async () => {
    const add = () => ground.add(ground.urlOf('/in'));
    for (let at = 0; at < WEBHOOKS_MAX; at += 1) await add();
    const asked = { id: newHexId(), owner: owner(), url: ground.urlOf('/in'), events: ['token.stopped'] };
    expect(await addWebhook(context(), { ...asked, actor: 'test', requestId: null })).toBe('full');
    const others = await durable().selectFrom('webhooks').select('id').execute();
    expect(others).toHaveLength(WEBHOOKS_MAX);
  });

  test('row W9 of a thousand messages that wait the next one is left out and counted', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    const now = context().clock.now();
    const message = (told: string) => ({
      event: 'token.stopped' as const,
      told,
      at: now,
      clientId: ground.system.app.clientId,
      dataFor: () => ({}),
    });
    const many = Array.from({ length: WAITING_MAX + 3 }, (_none, at) => message(`stopped:${at}`));
    await context().store.transaction((tx) => keepMessages(tx, many, now));
    expect(await rows()).toHaveLength(WAITING_MAX);
    const left = await durable().selectFrom('webhooks').select('left_out').where('id', '=', id).execute();
    expect(left).toEqual([{ left_out: 3 }]);
  });

  test('row W9 what time causes is not counted as left out each minute, and waits for room', async () => {
    const { id } = await ground.add(ground.urlOf('/in'), ['calls.quiet']);
    const now = context().clock.now();
    const waits = { webhook_id: id, event: 'token.stopped', body: '{}', created_at: now };
    const all = Array.from({ length: WAITING_MAX }, (_none, at) => {
      return { ...waits, id: newOrderedId(now), told: `stopped:${at}` };
    });
    await insertDeliveries(durable(), all);
    const quiet = {
      event: 'calls.quiet' as const,
      told: 'quiet:1',
      at: now,
      clientId: ground.system.app.clientId,
      dataFor: () => ({}),
    };
    const find = () => context().store.transaction((tx) => keepMessages(tx, [quiet], now));
    for (let minute = 0; minute < 3; minute += 1) await find();
    const left = await durable().selectFrom('webhooks').select('left_out').where('id', '=', id).execute();
    expect(left).toEqual([{ left_out: 0 }]);
    expect(await rows()).toHaveLength(WAITING_MAX);
    await durable().deleteFrom('webhook_deliveries').where('told', '=', 'stopped:0').execute();
    await find();
    expect((await rows()).at(-1)).toMatchObject({ told: 'quiet:1', state: 'due' });
  });

  test('what tells that an app is quiet outlives two thousand newer messages for as long as it is news', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    const now = context().clock.now();
    const all = Array.from({ length: 2 * WAITING_MAX + 1 }, (_none, at) => {
      const event = at === 0 ? 'calls.quiet' : 'test';
      return {
        webhook_id: id,
        event,
        body: '{}',
        created_at: now,
        id: newOrderedId(now),
        told: `${event}:${at}`,
      };
    });
    await insertDeliveries(durable(), all);
    await durable().updateTable('webhook_deliveries').set({ state: 'delivered', ended_at: now }).execute();
    await purgeWebhooks(context());
    expect((await rows())[0]).toMatchObject({ event: 'calls.quiet' });
    ground.clock.advance(3 * DAY + 1);
    await purgeWebhooks(context());
    expect((await rows())[0]).toMatchObject({ event: 'test' });
  });

  test('what ended thirty days ago is removed, and what is beyond two thousand', async () => {
    const { id } = await ground.add(ground.urlOf('/in'));
    const now = context().clock.now();
    const body = { webhook_id: id, event: 'test', body: '{}', created_at: now };
    const all = Array.from({ length: 2 * WAITING_MAX + 10 }, (_none, at) => {
      return { ...body, id: newOrderedId(now), told: `test:${at}` };
    });
    await insertDeliveries(durable(), all);
    await durable().updateTable('webhook_deliveries').set({ state: 'delivered', ended_at: now }).execute();
    await purgeWebhooks(context());
    expect((await rows()).map((row) => row.id)).toEqual(all.slice(10).map((row) => row.id));
    ground.clock.advance(30 * DAY + 1);
    await purgeWebhooks(context());
    expect(await rows()).toEqual([]);
  });
});
