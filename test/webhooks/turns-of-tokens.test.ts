import { pinByHand } from '../../src/domain/accounts/pin-by-hand.ts';
import { endGrant } from '../../src/domain/grants/end-grant.ts';
import { takeEntryBack } from '../../src/domain/take-back/take-back.ts';
import { assignByHand } from '../../src/domain/tokens/assign-token.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** That a token stopped or works again is told where it is so, and to the app that it is so for. */

const BY = { actor: 'account:test', requestId: null };
const BOTH = ['token.resumed', 'token.stopped'];

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
  async function told(): ReturnType<WebhookGround['told']> {
    const messages = await ground.told();
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

  /** The one grant, on which other tokens stand too. */
  async function liveGrant() {
    await issueToken(ground.system);
    const grants = context().store.durable.selectFrom('grants').selectAll().where('state', '=', 'ready');
    return grants.where('client_id', '=', clientId()).executeTakeFirstOrThrow();
  }

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
    await endGrant(context(), { ...(await liveGrant()), calling: undefined }, 'refused');
    const stopped = await tokensOf('reauthorization_required');
    await issueToken(ground.system);
    await issueToken(ground.system);
    expect(await told()).toMatchObject([{ type: 'token.resumed', data: { count: stopped.length } }]);
  });

  /** Takes the newest entry of an action on a token back. */
  async function takeBack(mappingId: string, action: string): Promise<void> {
    const entries = context()
      .store.durable.selectFrom('events')
      .select('id')
      .where('mapping_id', '=', mappingId);
    const newest = entries.where('action', '=', action).orderBy('id', 'desc');
    const { id: entryId } = await newest.executeTakeFirstOrThrow();
    await takeEntryBack(context(), { ...BY, entryId, role: 'lead', reason: 'the wrong one' });
  }

  const stoppedOf = (...ids: string[]) => ({
    type: 'token.stopped',
    data: {
      client_id: clientId(),
      why: 'taken_back',
      cause: null,
      count: ids.length,
      tokens: expect.arrayContaining(ids.map((id) => expect.objectContaining({ id }))),
    },
  });

  test('an app loses a token whose assignment is taken back, and is told that it stopped', async () => {
    const other = await ground.system.registerApp('https://other.example/cb');
    const { account_id: accountId } = await liveGrant();
    await ground.add(ground.urlOf('/in'), BOTH);
    await ground.add(ground.urlOf('/other'), BOTH, { kind: 'app', clientId: other.clientId });
    const asWas = { clientId: other.clientId, accountId, source: 'observed' } as const;
    const { mappingId } = await addWaitingToken(ground.system.bridge, asWas);
    await assignByHand(context(), { ...BY, mappingId, clientId: clientId(), reason: 'as agreed' });
    await told();
    await takeBack(mappingId, 'token_assigned');
    expect(await told()).toMatchObject([stoppedOf(mappingId)]);
  });

  test('a token that worked is assigned to another app: the app that it left is told that it stopped, and one that it works on for is told that it works', async () => {
    const other = await ground.system.registerApp('https://other.example/cb');
    const { account_id: accountId } = await liveGrant();
    await ground.add(ground.urlOf('/in'), BOTH);
    await ground.add(ground.urlOf('/other'), BOTH, { kind: 'app', clientId: other.clientId });
    const asWas = { clientId: other.clientId, accountId, source: 'observed' } as const;
    const { mappingId } = await addWaitingToken(ground.system.bridge, asWas);
    const assigns = (app: string) =>
      assignByHand(context(), { ...BY, mappingId, clientId: app, reason: 'as agreed' });
    await assigns(clientId());
    await told();
    await assigns(other.clientId);
    const left = { ...stoppedOf(mappingId), data: { ...stoppedOf(mappingId).data, why: 'assigned' } };
    expect(await told()).toMatchObject([left]);
    await assigns(clientId());
    await issueToken(ground.system, { app: other });
    await told();
    await assigns(other.clientId);
    const worksOn = { client_id: other.clientId, why: 'connected', state: 'connected', count: 1 };
    const both = await told();
    expect(both).toHaveLength(2);
    expect(both).toEqual(
      expect.arrayContaining([
        expect.objectContaining(left),
        expect.objectContaining({ type: 'token.resumed', data: expect.objectContaining(worksOn) }),
      ]),
    );
  });

  test('of the taking back of a pin one message tells those that worked by it, and none those that waited', async () => {
    const { account_id: accountId } = await liveGrant();
    const other = await ground.system.registerApp('https://other.example/cb');
    await ground.add(ground.urlOf('/in'), BOTH);
    await ground.add(ground.urlOf('/other'), BOTH, { kind: 'app', clientId: other.clientId });
    const email = 'late@holder.example';
    const ids: string[] = [];
    for (const app of [clientId(), clientId(), other.clientId]) {
      const { mappingId } = await addWaitingToken(ground.system.bridge, { clientId: app });
      const row = context().store.durable.updateTable('mappings').set({ account_email: email });
      await row.where('id', '=', mappingId).execute();
      ids.push(mappingId);
    }
    await pinByHand(context(), { ...BY, email, accountId, how: 'as agreed' });
    await told();
    await takeBack(ids[0] ?? '', 'account_pinned');
    expect(await told()).toMatchObject([stoppedOf(...ids.slice(0, 2))]);
  });
});
