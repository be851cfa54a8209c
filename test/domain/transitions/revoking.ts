import { revokeToken } from '../../../src/domain/tokens/revoke-token.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { History } from '../support/histories.ts';
import { addToken, grantOf, keepToken, saidOf, stateOf } from './cases.ts';

/** A token that is revoked by its owner or support, and the grant that it may have been the last to stand on. */
export function revoking(on: () => History): void {
  let history: History;
  beforeAll(() => void (history = on()));

  const REVOCATION = { reason: ' the laptop was lost ', actor: 'command', requestId: null };

  test('a token that is revoked keeps the reason, and leaves the grant to the other tokens that stand on it', async () => {
    const given = await keepToken(history, 'active');
    const { mappingId: other } = await addToken(history, 'active', given);
    const { mappingId } = given;
    const answer = await revokeToken(history.context, { mappingId, ...REVOCATION });
    expect(answer).toEqual({ outcome: 'revoked', alone: false, hadGrant: true });
    expect(await stateOf(history, other)).toEqual({ state: 'active', updated_at: 0 });
    expect(await grantOf(history, given)).toEqual({ state: 'ready', dead_cause: null });
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
    const given = await keepToken(history, 'active');
    const { mappingId, clientId, accountId, grantId } = given;
    const second = await addToken(history, 'active', given);
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
    expect(withCode).toEqual({ outcome: 'revoked', alone: false, hadGrant: true });
    expect(await grantOf(history, given)).toEqual({ state: 'ready', dead_cause: null });

    await history.db.deleteFrom('legacy_codes').where('grant_id', '=', grantId).execute();
    const last = await addToken(history, 'active', given);
    const answer = await revokeToken(history.context, { ...REVOCATION, mappingId: last.mappingId });
    expect(answer).toEqual({ outcome: 'revoked', alone: true, hadGrant: true });
    expect(await grantOf(history, given)).toEqual({ state: 'dead', dead_cause: 'deauthorized' });
    expect(await saidOf(history, 'grant_id', grantId)).toContain('deauthorized');
  });

  test('the last token that is revoked while no grant served it ends nothing else', async () => {
    for (const state of ['unmapped', 'reauthorization_required'] as const) {
      const given = await keepToken(history, state);
      const answer = await revokeToken(history.context, { ...REVOCATION, mappingId: given.mappingId });
      expect(answer).toEqual({ outcome: 'revoked', alone: false, hadGrant: false });
      expect(await grantOf(history, given)).toEqual({ state: 'ready', dead_cause: null });
    }
  });

  test('what has ended, or is not known, is said so and changed by nothing', async () => {
    const { mappingId } = await keepToken(history, 'migrated');
    const final = { outcome: 'final', state: 'migrated' };
    expect(await revokeToken(history.context, { mappingId, ...REVOCATION })).toEqual(final);
    const unknown = { mappingId: newHexId(), ...REVOCATION };
    expect(await revokeToken(history.context, unknown)).toEqual({ outcome: 'unknown' });
    for (const reason of ['', '  ', 'x'.repeat(501), 'two\nlines'])
      await expect(revokeToken(history.context, { ...unknown, reason })).rejects.toThrow('reason: 1 to 500');
  });
}
