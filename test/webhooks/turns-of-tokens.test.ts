import { endGrant } from '../../src/domain/grants/end-grant.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** That a token stopped or works again is told where it is so, and to the app that it is so for. */

describe(`with ${databaseKinds.join(' or ')}`, () => {
  let ground: WebhookGround;

  beforeAll(async () => {
    ground = await openWebhookGround();
  });
  afterAll(() => ground.stop());
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;
  const clientId = () => ground.system.app.clientId;

  /** What was told since the last time. */
  async function told(): Promise<ReturnType<WebhookGround['messages']>> {
    await ground.tell();
    // A receiver has one message under way at a time.
    for (let turn = 0; turn < 6; turn += 1) await ground.deliver();
    const messages = ground.messages();
    ground.receiver.received.length = 0;
    return messages;
  }

  const tokensOf = (state: 'active' | 'reauthorization_required') =>
    context()
      .store.durable.selectFrom('mappings')
      .select('id')
      .where('client_id', '=', clientId())
      .where('state', '=', state)
      .execute();

  test('a further consent of an account, whose tokens work, is not told', async () => {
    await ground.add(ground.urlOf('/in'), ['token.resumed', 'token.stopped']);
    await issueToken(ground.system);
    await issueToken(ground.system);
    await told();
    const { length: before } = await tokensOf('active');
    expect(before).toBeGreaterThan(1);
    await issueToken(ground.system);
    expect(await told()).toEqual([]);
  });

  test('after a consent those that had stopped are told, and those that worked are not', async () => {
    await ground.add(ground.urlOf('/in'), ['token.resumed']);
    await issueToken(ground.system);
    const { durable } = context().store;
    const [grant] = await durable.selectFrom('grants').selectAll().where('state', '=', 'ready').execute();
    if (!grant) throw new Error('no grant lives');
    await endGrant(context(), { ...grant, calling: undefined }, 'refused');
    const stopped = await tokensOf('reauthorization_required');
    await issueToken(ground.system);
    await issueToken(ground.system);
    expect(await told()).toMatchObject([{ type: 'token.resumed', data: { count: stopped.length } }]);
  });
});
