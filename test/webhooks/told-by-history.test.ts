import { endGrant } from '../../src/domain/grants/end-grant.ts';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { endExtension, extendApp } from '../../src/domain/lifecycle/changes/extend-app.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { takeEntryBack } from '../../src/domain/take-back/take-back.ts';
import { revokeByHand, revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { tokenHint } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { openWebhookGround, type WebhookGround } from './support/webhook-ground.ts';

/** Which changes are told to whom, up to a real server. */

const OPERATOR = { kind: 'operator', clientId: null } as const;
const BY = { actor: 'account:test', requestId: null };
const DATED = { ...BY, actor: 'command', reason: 'as agreed' };

const dated = (client_id: string | null, at: number) => {
  return { client_id, retirement: null, sunset: new Date(at).toISOString() };
};

// One kind in each ring: what runs in the full ring too is named so (test/support/README.md).
describe(`with ${databaseKinds.join(' or ')}`, () => {
  let ground: WebhookGround;

  beforeAll(async () => {
    ground = await openWebhookGround();
  });
  afterAll(() => ground.stop());
  beforeEach(() => ground.forget());

  const context = () => ground.system.bridge.context;
  const clientId = () => ground.system.app.clientId;

  const told = () => ground.told();

  const waiting = (of = clientId()) => addWaitingToken(ground.system.bridge, { clientId: of });

  test('a revoked token is told to the owner of its app by its first and last characters, once', async () => {
    await ground.add(ground.urlOf('/in'));
    const { token, mappingId } = await waiting();
    await revokeToken(context(), { ...BY, mappingId, reason: 'It was on a slide.' });
    await told();
    expect(await told()).toEqual([
      {
        type: 'token.stopped',
        timestamp: new Date(ground.clock.now()).toISOString(),
        data: {
          client_id: clientId(),
          why: 'revoked',
          cause: null,
          count: 1,
          tokens: [{ id: mappingId, begins: tokenHint(token).first, ends: tokenHint(token).last }],
        },
      },
    ]);
    expect(ground.receiver.received[0]?.body).not.toContain(token.slice(2));
    expect(ground.receiver.received[0]?.body).not.toContain('slide');
  });

  test('one word that a person gave as the reason stays inside', async () => {
    await ground.add(ground.urlOf('/in'));
    const { mappingId } = await waiting();
    await revokeToken(context(), { ...BY, mappingId, reason: 'fraud' });
    await told();
    expect(await told()).toMatchObject([{ type: 'token.stopped', data: { why: 'revoked', cause: null } }]);
    expect(ground.receiver.received[0]?.body).not.toContain('fraud');
  });

  test('tokens whose connection ended are told in one message, and their operator reads which', async () => {
    await ground.add(ground.urlOf('/owner'));
    await ground.add(ground.urlOf('/operator'), ['connection.ended', 'consent.finished'], OPERATOR);
    await issueToken(ground.system);
    await issueToken(ground.system);
    const { durable } = context().store;
    const [grant] = await durable.selectFrom('grants').selectAll().where('state', '=', 'ready').execute();
    if (!grant) throw new Error('no grant lives');
    await endGrant(context(), { ...grant, calling: undefined }, 'refused');
    const messages = await told();
    expect(messages.filter(({ type }) => type === 'token.stopped')).toMatchObject([
      { data: { client_id: clientId(), why: 'connection_ended', cause: 'grant_refused', count: 2 } },
    ]);
    expect(messages.filter(({ type }) => type === 'connection.ended').at(-1)).toMatchObject({
      data: { client_id: clientId(), account_id: grant.account_id, grant_id: grant.id, cause: 'refused' },
    });
    expect(messages.filter(({ type }) => type === 'consent.finished')).not.toEqual([]);
  });

  async function takesRevocationBack(mappingId: string): Promise<void> {
    const { durable } = context().store;
    const entries = durable.selectFrom('events').select('id').where('mapping_id', '=', mappingId);
    const { id: entryId } = await entries.where('action', '=', 'token_revoked').executeTakeFirstOrThrow();
    await takeEntryBack(context(), { ...BY, entryId, role: 'lead', reason: 'the wrong one' });
  }

  test('a token whose revocation is taken back is told with how it stands now', async () => {
    await ground.add(ground.urlOf('/in'), ['token.stopped', 'token.resumed']);
    await issueToken(ground.system);
    const { id: served } = await context()
      .store.durable.selectFrom('mappings')
      .select('id')
      .where('state', '=', 'active')
      .where('client_id', '=', clientId())
      .executeTakeFirstOrThrow();
    await issueToken(ground.system);
    const { token, mappingId } = await waiting();
    const expected = { type: 'token.resumed', data: { client_id: clientId(), why: 'taken_back', count: 1 } };
    for (const [id, state] of [
      [served, 'connected'],
      [mappingId, 'waiting'],
    ] as const) {
      await revokeByHand(context(), { ...BY, mappingId: id, reason: 'the wrong one' });
      await told();
      ground.receiver.received.length = 0;
      await takesRevocationBack(id);
      expect(await told()).toMatchObject([
        { ...expected, data: { ...expected.data, state, tokens: [{ id }] } },
      ]);
    }
    expect(ground.receiver.received[0]?.body).not.toContain(token.slice(2));
    // Revoked again before anybody was told: only that is told.
    ground.receiver.received.length = 0;
    await revokeByHand(context(), { ...BY, mappingId: served, reason: 'the right one' });
    expect((await told()).map(({ type }) => type)).toEqual(['token.stopped']);
  });

  test('tokens that work again after a new consent are told in one message', async () => {
    await ground.add(ground.urlOf('/in'), ['token.resumed']);
    const { durable } = context().store;
    await issueToken(ground.system);
    await told();
    const [grant] = await durable.selectFrom('grants').selectAll().where('state', '=', 'ready').execute();
    if (!grant) throw new Error('no grant lives');
    await endGrant(context(), { ...grant, calling: undefined }, 'refused');
    const stopped = await durable
      .selectFrom('mappings')
      .select('id')
      .where('state', '=', 'reauthorization_required')
      .where('account_id', '=', grant.account_id)
      .execute();
    ground.receiver.received.length = 0;
    await issueToken(ground.system);
    expect(await told()).toMatchObject([
      {
        type: 'token.resumed',
        data: { client_id: clientId(), why: 'connected', state: 'connected', count: stopped.length },
      },
    ]);
  });

  test('what happens to another app, and what happened before, is not told', async () => {
    const { mappingId: before } = await waiting();
    await revokeToken(context(), { ...BY, mappingId: before, reason: 'before' });
    ground.clock.advance(1);
    await ground.add(ground.urlOf('/in'));
    const other = await ground.system.registerApp('https://other.example/cb');
    const { mappingId } = await waiting(other.clientId);
    await revokeToken(context(), { ...BY, mappingId, reason: 'elsewhere' });
    expect(await told()).toEqual([]);
  });

  test('a date of all and the time of one app are told with the dates as they are then', async () => {
    await ground.add(ground.urlOf('/in'), ['date.moved']);
    await ground.add(ground.urlOf('/all'), ['date.moved'], OPERATOR);
    const day = Math.floor(ground.clock.now() / DAY) * DAY;
    const [sunset, until] = [day + 90 * DAY, day + 120 * DAY];
    const name = 'sunset' as const;
    await setDateOf(context(), { ...DATED, name, at: sunset });
    const first = (await told()).map(({ data }) => data);
    expect(first).toHaveLength(2);
    expect(first).toEqual(expect.arrayContaining([dated(clientId(), sunset), dated(null, sunset)]));
    ground.receiver.received.length = 0;
    await extendApp(context(), { ...DATED, clientId: clientId(), name, until });
    expect((await told()).map(({ data }) => data)).toEqual(Array(2).fill(dated(clientId(), until)));
    ground.receiver.received.length = 0;
    await endExtension(context(), { ...DATED, clientId: clientId(), name });
    expect((await told()).map(({ data }) => data)).toEqual(Array(2).fill(dated(clientId(), sunset)));
  });

  test('a change of the deprecation, which is no date of the message, is not told', async () => {
    await ground.add(ground.urlOf('/in'), ['date.moved']);
    await ground.add(ground.urlOf('/all'), ['date.moved'], OPERATOR);
    const at = Math.floor(ground.clock.now() / DAY) * DAY;
    await setDateOf(context(), { ...DATED, name: 'deprecation', at });
    await setDateOf(context(), { ...DATED, name: 'deprecation', at: undefined });
    expect(await told()).toEqual([]);
    const reason = 'deprecation: not this one';
    await setDateOf(context(), { ...DATED, reason, name: 'retirement', at: at + 90 * DAY });
    expect((await told()).map(({ type }) => type)).toEqual(['date.moved', 'date.moved']);
  });

  test('a leaked token is told to the operator by ids alone', async () => {
    await ground.add(ground.urlOf('/in'), ['token.leaked'], OPERATOR);
    const { token, mappingId } = await waiting();
    const reports = [{ token, found: 'https://paste.example/abc' }];
    await reportLeaks(context(), { reports, grace: DAY }, { actor: 'command', requestId: null });
    expect(await told()).toMatchObject([
      { type: 'token.leaked', data: { client_id: clientId(), mapping_id: mappingId } },
    ]);
    expect(ground.receiver.received[0]?.body).not.toMatch(new RegExp(`paste|${token.slice(2)}`));
  });
});
