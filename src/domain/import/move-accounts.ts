import { ensureAccount } from '../../store/accounts.ts';
import { changeApp, changeMapping, rowsUnderLegacyIds } from '../../store/import-changes.ts';
import type { Database } from '../../store/store.ts';
import { adoptTokens } from '../adopt-tokens.ts';
import { recordEvents } from '../record-event.ts';
import type { Import } from './outcomes.ts';

/**
 * Apps and tokens that were imported before the pair that says what their account's id is now: apps may stand before
 * their owner in a file, and tokens in an earlier file.
 */
export async function moveToModernIds(
  { context, origin }: Import,
  tx: Database,
  modernIds: ReadonlyMap<string, string | null>,
): Promise<void> {
  const legacyIds = [...modernIds].flatMap(([legacyId, modernId]) =>
    modernId === null || modernId === legacyId ? [] : [legacyId],
  );
  if (legacyIds.length === 0) return;
  const now = context.clock.now();
  const { apps, tokens } = await rowsUnderLegacyIds(tx, legacyIds);
  const reason = 'import: an id pair names the account';
  for (const { client_id: clientId, account_id } of apps) {
    const accountId = modernIds.get(account_id ?? '') ?? '';
    await changeApp(tx, clientId, { owner_account_id: accountId });
    const entry = { at: now, ...origin, action: 'app_changed', reason, clientId, accountId };
    await recordEvents(context, tx, [entry]);
  }
  for (const { id, client_id: clientId, account_id } of tokens) {
    const accountId = modernIds.get(account_id ?? '') ?? '';
    const entry = { at: now, ...origin, reason, clientId, accountId };
    const isNamed = await ensureAccount(tx, accountId, now);
    await changeMapping(tx, id, { updated_at: now, account_id: accountId });
    await recordEvents(context, tx, [
      ...(isNamed ? [{ ...entry, clientId: null, action: 'account_named' }] : []),
      { ...entry, action: 'token_changed', mappingId: id },
    ]);
    await adoptTokens(context, tx, { clientId, accountId, ...origin });
  }
}
