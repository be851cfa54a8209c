import { storeGrantForTokens } from '../../../src/domain/grants/store-grant.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import { databaseKinds } from '../../store/support/stores.ts';
import { type History, openHistory } from '../support/histories.ts';
import {
  type Act,
  adopt,
  assignConnected,
  assignNew,
  bury,
  claimByCall,
  consent,
  consentOf,
  deauthorizePair,
  endAtOldBackend,
  handOverIt,
  handOverPair,
  loseAndFind,
  observe,
  pin,
  reauthorize,
  refused,
  replayCode,
  revoke,
  see,
  withOldBackend,
} from '../transitions/acts.ts';
import { assigning } from '../transitions/assigning.ts';
import { grantOf, keepToken, saidOf, stateOf } from '../transitions/cases.ts';
import { revoking } from '../transitions/revoking.ts';

/**
 * Every transition of the mapping state table (docs/decisions/0002), done by the use case that makes it, with its
 * history.
 */

const CONSENT = 'a consent is given';
const AGAIN = 'it is authorized once more';
const ADOPTED = 'a grant of the pair adopts it';
const DIES = 'the grant dies';
const REVIVED = 'the grant is given up and its lost answer comes after all';
const DEAUTHORIZED = 'the app is deauthorized';
const REVOKED = 'it is revoked';
const TAKEN = 'its app takes the grant over by another token of the pair';
const TAKEN_BY_IT = 'its app takes the grant over by it';
const REPLAYED = 'its code is replayed, with LEGACY_CODE_REPLAY=revoke';
const ENDED = 'the old backend ends it';
const PINNED = 'its e-mail address is pinned';
const OBSERVED = 'a call shows it again';
const NAMED = 'a call names an app';
const TO_NEW = 'support assigns it to an app that nobody has let in';
const TO_CONNECTED = 'support assigns it to an app that has a grant';

/** The state before, what happens, the state after; and what the history says of it, if it says anything. */
const ROWS: Array<[MappingState, string, Act, MappingState, string[]]> = [
  ['unmapped', CONSENT, consent, 'active', ['token_connected']],
  ['active', CONSENT, consent, 'active', ['token_connected']],
  ['reauthorization_required', CONSENT, consent, 'active', ['token_connected']],
  ['revoked', CONSENT, consent, 'revoked', []],
  ['migrated', CONSENT, consent, 'migrated', []],
  ['unmapped', AGAIN, reauthorize, 'active', ['token_connected']],
  ['active', AGAIN, reauthorize, 'active', ['token_connected']],
  ['reauthorization_required', AGAIN, reauthorize, 'active', ['token_connected']],
  ['revoked', AGAIN, reauthorize, 'revoked', []],
  ['migrated', AGAIN, reauthorize, 'migrated', []],
  ['unmapped', ADOPTED, adopt, 'active', ['token_connected']],
  ['active', ADOPTED, adopt, 'active', []],
  ['reauthorization_required', ADOPTED, adopt, 'reauthorization_required', []],
  ['revoked', ADOPTED, adopt, 'revoked', []],
  ['migrated', ADOPTED, adopt, 'migrated', []],
  ['unmapped', DIES, bury, 'unmapped', []],
  ['active', DIES, bury, 'reauthorization_required', ['token_reauthorization_required']],
  ['reauthorization_required', DIES, bury, 'reauthorization_required', []],
  ['revoked', DIES, bury, 'revoked', []],
  ['migrated', DIES, bury, 'migrated', []],
  ['unmapped', REVIVED, loseAndFind, 'unmapped', []],
  ['active', REVIVED, loseAndFind, 'active', ['token_reauthorization_required', 'token_connected']],
  ['reauthorization_required', REVIVED, loseAndFind, 'reauthorization_required', []],
  ['revoked', REVIVED, loseAndFind, 'revoked', []],
  ['migrated', REVIVED, loseAndFind, 'migrated', []],
  ['unmapped', DEAUTHORIZED, deauthorizePair, 'revoked', ['token_revoked']],
  ['active', DEAUTHORIZED, deauthorizePair, 'revoked', ['token_revoked']],
  ['reauthorization_required', DEAUTHORIZED, deauthorizePair, 'revoked', ['token_revoked']],
  ['revoked', DEAUTHORIZED, deauthorizePair, 'revoked', []],
  ['migrated', DEAUTHORIZED, deauthorizePair, 'migrated', []],
  ['unmapped', REVOKED, revoke, 'revoked', ['token_revoked']],
  ['active', REVOKED, revoke, 'revoked', ['token_revoked']],
  ['reauthorization_required', REVOKED, revoke, 'revoked', ['token_revoked']],
  ['revoked', REVOKED, revoke, 'revoked', []],
  ['migrated', REVOKED, revoke, 'migrated', []],
  ['unmapped', ENDED, endAtOldBackend, 'revoked', ['token_revoked']],
  ['active', ENDED, endAtOldBackend, 'revoked', ['token_revoked']],
  ['reauthorization_required', ENDED, endAtOldBackend, 'revoked', ['token_revoked']],
  ['revoked', ENDED, endAtOldBackend, 'revoked', []],
  ['migrated', ENDED, endAtOldBackend, 'migrated', []],
  ['unmapped', TAKEN, handOverPair, 'migrated', ['token_migrated']],
  ['active', TAKEN, handOverPair, 'migrated', ['token_migrated']],
  ['reauthorization_required', TAKEN, handOverPair, 'migrated', ['token_migrated']],
  ['revoked', TAKEN, handOverPair, 'revoked', []],
  ['migrated', TAKEN, handOverPair, 'migrated', []],
  ['unmapped', TAKEN_BY_IT, handOverIt, 'migrated', ['token_migrated']],
  ['active', TAKEN_BY_IT, handOverIt, 'migrated', ['token_migrated']],
  ['reauthorization_required', TAKEN_BY_IT, handOverIt, 'migrated', ['token_migrated']],
  ['revoked', TAKEN_BY_IT, refused(handOverIt, 'revoked'), 'revoked', []],
  ['unmapped', REPLAYED, replayCode, 'revoked', ['code_replayed']],
  ['active', REPLAYED, replayCode, 'revoked', ['code_replayed']],
  ['reauthorization_required', REPLAYED, replayCode, 'revoked', ['code_replayed']],
  ['revoked', REPLAYED, replayCode, 'revoked', ['code_replayed']],
  ['migrated', REPLAYED, replayCode, 'migrated', ['code_replayed']],
  ['unmapped', PINNED, pin, 'active', ['account_pinned', 'token_connected']],
  ['revoked', PINNED, pin, 'revoked', ['account_pinned']],
  ['migrated', PINNED, pin, 'migrated', ['account_pinned']],
  ['unmapped', OBSERVED, observe, 'unmapped', []],
  ['active', OBSERVED, observe, 'active', []],
  ['reauthorization_required', OBSERVED, observe, 'reauthorization_required', []],
  ['revoked', OBSERVED, observe, 'revoked', []],
  ['migrated', OBSERVED, observe, 'migrated', []],
  ['unmapped', NAMED, claimByCall, 'unmapped', ['app_claimed']],
  ['active', NAMED, claimByCall, 'active', ['app_claimed']],
  ['reauthorization_required', NAMED, claimByCall, 'reauthorization_required', ['app_claimed']],
  ['revoked', NAMED, claimByCall, 'revoked', ['app_claimed']],
  ['migrated', NAMED, claimByCall, 'migrated', ['app_claimed']],
  ['unmapped', TO_NEW, assignNew, 'unmapped', ['token_assigned']],
  ['active', TO_NEW, assignNew, 'reauthorization_required', ['token_assigned']],
  ['reauthorization_required', TO_NEW, assignNew, 'reauthorization_required', ['token_assigned']],
  ['revoked', TO_NEW, assignNew, 'revoked', []],
  ['migrated', TO_NEW, assignNew, 'migrated', []],
  ['unmapped', TO_CONNECTED, assignConnected, 'active', ['token_assigned', 'token_connected']],
  ['active', TO_CONNECTED, assignConnected, 'active', ['token_assigned']],
  [
    'reauthorization_required',
    TO_CONNECTED,
    assignConnected,
    'active',
    ['token_assigned', 'token_connected'],
  ],
  ['revoked', TO_CONNECTED, assignConnected, 'revoked', []],
  ['migrated', TO_CONNECTED, assignConnected, 'migrated', []],
];

withOldBackend();

describe.each(databaseKinds)('on %s', (kind) => {
  let history: History;

  beforeAll(async () => {
    history = await openHistory(kind);
  });
  afterAll(() => history.close());

  test.each(ROWS)('a token that is %s, when %s', async (before, _what, act, after, said) => {
    const given = await keepToken(history, before);
    const neighbour = await keepToken(history, before, { clientId: given.clientId });
    await act(history, given);
    const { state, updated_at } = await stateOf(history, given.mappingId);
    expect([state, await saidOf(history, 'mapping_id', given.mappingId)]).toEqual([after, said]);
    // What does not move is not touched, and what is another account's never is.
    const isTouched = said.some((action) => action !== 'code_replayed' && action !== 'app_claimed');
    // A token that has stopped or ended keeps the time at which it did.
    const keepsTime = before === after && before !== 'unmapped' && before !== 'active';
    expect(updated_at > 0).toBe(before !== after || (isTouched && !keepsTime));
    expect(await stateOf(history, neighbour.mappingId)).toEqual({ state: before, updated_at: 0 });
    expect(await saidOf(history, 'mapping_id', neighbour.mappingId)).toEqual([]);
  });

  test('a consent for tokens that have ended meanwhile is not kept, and ends no grant that is there', async () => {
    const given = await keepToken(history, 'revoked');
    expect(await storeGrantForTokens(history.context, consentOf(given))).toBe(false);
    expect(await grantOf(history, given)).toEqual({ state: 'ready', dead_cause: null });
    const waiting = await keepToken(history, 'unmapped');
    expect(await storeGrantForTokens(history.context, consentOf(waiting))).toBe(true);
    expect(await grantOf(history, waiting)).toEqual({ state: 'dead', dead_cause: 'replaced' });
  });

  test('a token that is seen waits, also where the app that its call names has a grant for its account', async () => {
    const { clientId, accountId } = await keepToken(history, 'active');
    const [modern, source] = [{ modern_id: accountId, created_at: 0 }, 'imported'] as const;
    const observed = async (userId: string) => {
      const token = newLegacyToken();
      await see(history, { token, clientId, userId });
      const row = await history.db
        .selectFrom('mappings')
        .select(['id', 'state'])
        .where('token_digest', '=', history.context.vault.digest(token))
        .executeTakeFirstOrThrow();
      return [row.state, await saidOf(history, 'mapping_id', row.id)];
    };
    expect(await observed(newHexId())).toEqual(['unmapped', ['token_observed', 'app_claimed']]);
    const paired = newHexId();
    const row = { kind: 'account', legacy_id: paired, source, ...modern } as const;
    await history.db.insertInto('id_pairs').values(row).execute();
    expect(await observed(paired)).toEqual(['unmapped', ['token_observed', 'app_claimed']]);
  });

  describe('revoking', () => revoking(() => history));
  describe('assigning', () => assigning(() => history));
});
