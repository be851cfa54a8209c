import { assignByHand } from '../../../src/domain/tokens/assign-token.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import type { History } from '../support/histories.ts';
import { assignConnected, assignNew, handOverIt, revoke } from './acts.ts';
import {
  addApp,
  addGrant,
  addToken,
  grantOf,
  keepToken,
  mappingIn,
  ORIGIN,
  saidOf,
  stateOf,
} from './cases.ts';

/** A token that support assigns to its app, and the grant that it leaves. */
export function assigning(on: () => History): void {
  let history: History;
  beforeAll(() => void (history = on()));

  test('the last token that is assigned away ends the grant of the program; one that stays keeps it', async () => {
    const given = await keepToken(history, 'active');
    const second = await addToken(history, 'active', given);
    const grants = async () => [
      (await grantOf(history, given)).dead_cause,
      await saidOf(history, 'grant_id', given.grantId),
    ];
    await assignNew(history, given);
    expect(await grants()).toEqual([null, []]);
    expect(await mappingIn(history, given.mappingId)).toMatchObject({
      grant_id: null,
      reason: 'the owner said so',
      account_id: given.accountId,
    });
    await assignConnected(history, { ...given, ...second });
    expect(await grants()).toEqual(['deauthorized', ['deauthorized']]);
    const { grant_id: grantId, reason, client_id: clientId } = await mappingIn(history, second.mappingId);
    const standing = await history.db
      .selectFrom('grants')
      .select(['client_id', 'state'])
      .where('id', '=', grantId)
      .execute();
    expect([reason, standing]).toEqual([null, [{ client_id: clientId, state: 'ready' }]]);
  });

  test('a token that is assigned to an app that has taken the grant over has moved with the others', async () => {
    const taken = await keepToken(history, 'active');
    await handOverIt(history, taken);
    const program = await addApp(history, 'observed');
    const grantId = await addGrant(history, { ...taken, clientId: program });
    const stray = await addToken(history, 'active', { ...taken, clientId: program, grantId });
    const { mappingId } = stray;
    const asked = { mappingId, clientId: taken.clientId, reason: 'so', ...ORIGIN };
    const answer = await assignByHand(history.context, asked);
    expect(answer).toMatchObject({ outcome: 'assigned', state: 'migrated', alone: true });
    expect(await saidOf(history, 'mapping_id', mappingId)).toEqual(['token_assigned', 'token_migrated']);
  });

  test('what cannot be assigned is said so and changed by nothing', async () => {
    const given = await keepToken(history, 'active');
    const { mappingId, clientId } = given;
    const { context, db } = history;
    const asked = { mappingId, clientId: await addApp(history), reason: 'so', ...ORIGIN };
    expect(await assignByHand(context, asked)).toEqual({ outcome: 'identified', app: clientId });
    await db.updateTable('apps').set({ source: 'observed' }).where('client_id', '=', clientId).execute();
    const program = await addApp(history, 'observed');
    for (const unknown of [newHexId(), program])
      expect(await assignByHand(context, { ...asked, clientId: unknown })).toEqual({
        outcome: 'unknown app',
      });
    const nobody = await assignByHand(context, { ...asked, mappingId: newHexId() });
    expect(nobody).toEqual({ outcome: 'unknown token' });
    await expect(assignByHand(context, { ...asked, reason: ' ' })).rejects.toThrow('reason: 1 to 500');
    expect(await stateOf(history, mappingId)).toEqual({ state: 'active', updated_at: 0 });
    await revoke(history, given);
    expect(await assignByHand(context, asked)).toEqual({ outcome: 'final', state: 'revoked' });
  });
}
