import { adoptTokens } from '../../src/domain/adopt-tokens.ts';
import { buryGrant } from '../../src/domain/bury-grant.ts';
import { deauthorize } from '../../src/domain/deauthorize.ts';
import { type MappingEvent, moveOf } from '../../src/domain/mapping-state.ts';
import { ofMappings, recordEvents } from '../../src/domain/record-event.ts';
import { revokeToken } from '../../src/domain/revoke-token.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { upsertAccount } from '../../src/store/accounts.ts';
import { insertApp } from '../../src/store/apps.ts';
import { insertGrant } from '../../src/store/grants.ts';
import { insertMapping, moveMappings } from '../../src/store/mappings.ts';
import type { MappingState } from '../../src/store/tables.ts';
import { databaseKinds } from '../store/support/stores.ts';
import { grantRow } from '../store/support/rows.ts';
import { type History, openHistory } from './support/histories.ts';

/** Every transition of the mapping state table (design 4), done by the use case that makes it, with its history. */

const ORIGIN = { actor: 'test', requestId: null };

interface Case {
  clientId: string;
  accountId: string;
  grantId: string;
  mappingId: string;
}

type Act = (history: History, given: Case) => Promise<unknown>;

/** What `context.store` and the pure table do where the use case needs a modern side: consent and hand-over. */
function moveBy(event: MappingEvent, action: string): Act {
  return ({ context }, { clientId, accountId, grantId }) =>
    context.store.transaction(async (tx) => {
      const pair = { clientId, accountId };
      const now = context.clock.now();
      const moved = await moveMappings(tx, pair, { ...moveOf(event), reason: event, now });
      const change = { at: now, ...ORIGIN, ...pair, grantId, action, reason: event };
      await recordEvents(context, tx, ofMappings(change, moved));
    });
}

const consent = moveBy('granted', 'token_connected');
const adopt: Act = ({ context }, { clientId, accountId }) =>
  context.store.transaction((tx) => adoptTokens(context, tx, { clientId, accountId, ...ORIGIN }));
const bury: Act = async ({ context }, { grantId }) => {
  const grant = await context.store.durable
    .selectFrom('grants')
    .selectAll()
    .where('id', '=', grantId)
    .executeTakeFirstOrThrow();
  await buryGrant(context, grant, 'refused');
};
const deauthorizePair: Act = ({ context }, { clientId, accountId }) =>
  deauthorize(context, { clientId, accountId }, { ...ORIGIN, reason: 'a test' });
const revoke: Act = ({ context }, { mappingId }) =>
  revokeToken(context, { mappingId, reason: 'lost laptop', ...ORIGIN });
const handOver = moveBy('handed_over', 'token_migrated');

/** The state before, what happens, the state after; and what the history says of it, if it says anything. */
const ROWS: Array<[MappingState, string, Act, MappingState, string[]]> = [
  ['unmapped', 'a consent is given', consent, 'active', ['token_connected']],
  ['active', 'a consent is given', consent, 'active', ['token_connected']],
  ['reauthorization_required', 'a consent is given', consent, 'active', ['token_connected']],
  ['revoked', 'a consent is given', consent, 'revoked', []],
  ['migrated', 'a consent is given', consent, 'migrated', []],
  ['unmapped', 'a grant of the pair adopts it', adopt, 'active', ['token_connected']],
  ['active', 'a grant of the pair adopts it', adopt, 'active', []],
  ['reauthorization_required', 'a grant of the pair adopts it', adopt, 'reauthorization_required', []],
  ['revoked', 'a grant of the pair adopts it', adopt, 'revoked', []],
  ['migrated', 'a grant of the pair adopts it', adopt, 'migrated', []],
  ['unmapped', 'the grant dies', bury, 'unmapped', []],
  ['active', 'the grant dies', bury, 'reauthorization_required', ['token_reauthorization_required']],
  ['reauthorization_required', 'the grant dies', bury, 'reauthorization_required', []],
  ['revoked', 'the grant dies', bury, 'revoked', []],
  ['migrated', 'the grant dies', bury, 'migrated', []],
  ['unmapped', 'the app is deauthorized', deauthorizePair, 'revoked', ['token_revoked']],
  ['active', 'the app is deauthorized', deauthorizePair, 'revoked', ['token_revoked']],
  ['reauthorization_required', 'the app is deauthorized', deauthorizePair, 'revoked', ['token_revoked']],
  ['revoked', 'the app is deauthorized', deauthorizePair, 'revoked', []],
  ['migrated', 'the app is deauthorized', deauthorizePair, 'migrated', []],
  ['unmapped', 'it is revoked', revoke, 'revoked', ['token_revoked']],
  ['active', 'it is revoked', revoke, 'revoked', ['token_revoked']],
  ['reauthorization_required', 'it is revoked', revoke, 'revoked', ['token_revoked']],
  ['revoked', 'it is revoked', revoke, 'revoked', []],
  ['migrated', 'it is revoked', revoke, 'migrated', []],
  ['unmapped', 'its app takes the grant over', handOver, 'migrated', ['token_migrated']],
  ['active', 'its app takes the grant over', handOver, 'migrated', ['token_migrated']],
  ['reauthorization_required', 'its app takes the grant over', handOver, 'migrated', ['token_migrated']],
  ['revoked', 'its app takes the grant over', handOver, 'revoked', []],
  ['migrated', 'its app takes the grant over', handOver, 'migrated', []],
];

describe.each(databaseKinds)('on %s', (kind) => {
  let history: History;

  beforeAll(async () => {
    history = await openHistory(kind);
  });
  afterAll(() => history.close());

  /** A token in that state, with a live grant of its app and account, and a neighbour of another account. */
  async function keepToken(state: MappingState, given: Partial<Case> = {}): Promise<Case> {
    const ids = { clientId: newHexId(), accountId: newHexId(), grantId: newHexId(), ...given };
    const { clientId, accountId, grantId } = ids;
    const app = { client_id: clientId, name: 'A', source: 'imported', created_at: 0 } as const;
    const details = { callbacks: ['https://a.example/'], secretId: newHexId(), secretDigest: 'd' };
    if (given.clientId === undefined) await insertApp(history.db, app, details);
    await upsertAccount(history.db, { account_id: accountId, updated_at: 0 });
    const row = { client_id: clientId, account_id: accountId };
    if (given.grantId === undefined) await insertGrant(history.db, grantRow(grantId, row));
    return { ...ids, mappingId: await addToken(state, ids) };
  }

  async function addToken(state: MappingState, { clientId, accountId, grantId }: Omit<Case, 'mappingId'>) {
    const id = newHexId();
    await insertMapping(history.db, {
      id,
      token_digest: `k.${id}`,
      client_id: clientId,
      account_id: accountId,
      grant_id: state === 'unmapped' ? null : grantId,
      state,
      source: 'imported',
      created_at: 0,
      updated_at: 0,
    });
    return id;
  }

  const stateOf = async (mappingId: string) => {
    const row = await history.db
      .selectFrom('mappings')
      .select(['state', 'updated_at'])
      .where('id', '=', mappingId)
      .executeTakeFirstOrThrow();
    return row;
  };

  const saidOf = async (column: 'mapping_id' | 'grant_id', id: string) => {
    const rows = await history.db.selectFrom('events').selectAll().where(column, '=', id).execute();
    return rows.map(({ action }) => action);
  };

  const grantOf = async ({ grantId }: Case) =>
    history.db
      .selectFrom('grants')
      .select(['state', 'dead_cause'])
      .where('id', '=', grantId)
      .executeTakeFirstOrThrow();

  test.each(ROWS)('a token that is %s, when %s', async (before, _what, act, after, said) => {
    const given = await keepToken(before);
    const neighbour = await keepToken(before, { clientId: given.clientId });
    await act(history, given);
    const { state, updated_at } = await stateOf(given.mappingId);
    expect([state, await saidOf('mapping_id', given.mappingId)]).toEqual([after, said]);
    // What does not move is not touched, and what is another account's never is.
    expect(updated_at > 0).toBe(said.length > 0);
    expect(await stateOf(neighbour.mappingId)).toEqual({ state: before, updated_at: 0 });
    expect(await saidOf('mapping_id', neighbour.mappingId)).toEqual([]);
  });

  const REVOCATION = { reason: ' the laptop was lost ', actor: 'command', requestId: null };

  test('a token that is revoked keeps the reason, and leaves the grant to the other tokens that stand on it', async () => {
    const given = await keepToken('active');
    const other = await addToken('active', given);
    const { mappingId } = given;
    const answer = await revokeToken(history.context, { mappingId, ...REVOCATION });
    expect(answer).toEqual({ outcome: 'revoked', alone: false });
    expect(await stateOf(other)).toEqual({ state: 'active', updated_at: 0 });
    expect(await grantOf(given)).toEqual({ state: 'ready', dead_cause: null });
    const row = await history.db
      .selectFrom('mappings')
      .select('reason')
      .where('id', '=', mappingId)
      .execute();
    const told = await history.db
      .selectFrom('events')
      .select(['actor', 'action', 'reason'])
      .where('mapping_id', '=', mappingId)
      .execute();
    const reason = 'the laptop was lost';
    expect([row, told]).toEqual([[{ reason }], [{ actor: 'command', action: 'token_revoked', reason }]]);
  });

  test('the last token that is revoked ends its grant; a code that was not spent yet still stands on it', async () => {
    const given = await keepToken('active');
    const { mappingId, clientId, accountId, grantId } = given;
    const second = { ...given, mappingId: await addToken('active', given) };
    const now = history.context.clock.now();
    const code = { client_id: clientId, account_id: accountId, grant_id: grantId };
    await history.db
      .insertInto('legacy_codes')
      .values({
        ...code,
        code_digest: newHexId(),
        redirect_uri: 'https://a.example/',
        redirect_uri_given: 1,
        created_at: now,
        expires_at: now + 30_000,
      })
      .execute();
    await revokeToken(history.context, { mappingId, ...REVOCATION });
    const withCode = await revokeToken(history.context, { ...REVOCATION, mappingId: second.mappingId });
    expect(withCode).toEqual({ outcome: 'revoked', alone: false });
    expect(await grantOf(given)).toEqual({ state: 'ready', dead_cause: null });

    await history.db.deleteFrom('legacy_codes').where('grant_id', '=', grantId).execute();
    const last = await addToken('active', given);
    const answer = await revokeToken(history.context, { ...REVOCATION, mappingId: last });
    expect(answer).toEqual({ outcome: 'revoked', alone: true });
    expect(await grantOf(given)).toEqual({ state: 'dead', dead_cause: 'deauthorized' });
    expect(await saidOf('grant_id', grantId)).toContain('deauthorized');
  });

  test('the last token that is revoked while no grant served it ends nothing else', async () => {
    for (const state of ['unmapped', 'reauthorization_required'] as const) {
      const given = await keepToken(state);
      const answer = await revokeToken(history.context, { ...REVOCATION, mappingId: given.mappingId });
      expect(answer).toEqual({ outcome: 'revoked', alone: false });
      expect(await grantOf(given)).toEqual({ state: 'ready', dead_cause: null });
    }
  });

  test('what has ended, or is not known, is said so and changed by nothing', async () => {
    const { mappingId } = await keepToken('migrated');
    const final = { outcome: 'final', state: 'migrated' };
    expect(await revokeToken(history.context, { mappingId, ...REVOCATION })).toEqual(final);
    const unknown = { mappingId: newHexId(), ...REVOCATION };
    expect(await revokeToken(history.context, unknown)).toEqual({ outcome: 'unknown' });
    for (const reason of ['', '  ', 'x'.repeat(501), 'two\nlines'])
      await expect(revokeToken(history.context, { ...unknown, reason })).rejects.toThrow('reason: 1 to 500');
  });
});
