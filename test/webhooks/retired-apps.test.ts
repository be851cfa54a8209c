import { retireApp } from '../../src/domain/apps/retire-app.ts';
import { takeEntryBack } from '../../src/domain/take-back/take-back.ts';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { sendMessageAgain } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newOrderedId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** The webhooks of a retired app are told nothing, and go on by themselves once that is taken back. */

const BY = { actor: 'command', requestId: null, reason: 'given up' };

let ground: WebhookGround;
beforeAll(async () => {
  ground = await openWebhookGround();
});
afterAll(() => ground.stop());

test('of a retired app no message is kept, and of one that is taken back again', async () => {
  const { context } = ground.system.bridge;
  const { durable } = context.store;
  const { clientId } = ground.system.app;
  const endsOne = async () => {
    const active = durable.selectFrom('mappings').select('id').where('state', '=', 'active');
    const { id } = await active.where('client_id', '=', clientId).limit(1).executeTakeFirstOrThrow();
    await revokeToken(context, { mappingId: id, ...BY });
  };
  const told = async () => {
    ground.receiver.received.length = 0;
    return (await ground.told()).map(({ type }) => type);
  };
  for (let token = 0; token < 3; token += 1) await issueToken(ground.system);
  await ground.add(ground.urlOf('/app'), ['token.stopped']);
  await endsOne();
  expect(await told()).toEqual(['token.stopped']);
  await retireApp(context, { clientId, ...BY });
  await endsOne();
  expect(await told()).toEqual([]);
  const retired = durable.selectFrom('events').select('id').where('action', '=', 'app_retired');
  const { id: entryId } = await retired.executeTakeFirstOrThrow();
  await takeEntryBack(context, { entryId, role: 'lead', ...BY });
  await endsOne();
  expect(await told()).toEqual(['token.stopped']);
});

test('what waits when its app is retired is given up, and its owner may send it once that is taken back', async () => {
  const { context } = ground.system.bridge;
  const { durable } = context.store;
  const { clientId } = ground.system.app;
  await ground.forget();
  const { id } = await ground.add(ground.urlOf('/app'));
  const now = context.clock.now();
  const rows = Array.from({ length: 3 }, (_none, one) => ({
    id: newOrderedId(now),
    webhook_id: id,
    event: 'test',
    told: `test:${one}`,
    body: '{}',
    created_at: now - 1,
  }));
  await insertDeliveries(durable, rows);
  const later = { next_at: now + DAY, failure: 'no answer came in time', attempts: 3 };
  await durable
    .updateTable('webhook_deliveries')
    .set(later)
    .where('id', '=', rows[2]?.id ?? '')
    .execute();
  const retirement = (retired_at: number | null) =>
    durable.updateTable('apps').set({ retired_at }).where('client_id', '=', clientId).execute();
  await retirement(now);
  await ground.deliver();
  const kept = await durable.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute();
  expect(kept.map(({ state, failure }) => `${state}: ${failure}`)).toEqual([
    'dead: the app was retired',
    'dead: the app was retired',
    'dead: no answer came in time',
  ]);
  await retirement(null);
  await ground.deliver();
  expect(ground.receiver.received).toEqual([]);
  const owner = { kind: 'app' as const, clientId };
  expect(await sendMessageAgain(context, { id, owner, deliveryId: rows[0]?.id ?? '' })).toBe(true);
  await ground.deliver();
  expect(ground.receiver.received).toHaveLength(1);
});
