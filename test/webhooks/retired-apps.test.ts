import { retireApp } from '../../src/domain/apps/retire-app.ts';
import { takeEntryBack } from '../../src/domain/take-back/take-back.ts';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
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
