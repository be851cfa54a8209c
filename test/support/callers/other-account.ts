import { upsertAccount } from '../../../src/store/accounts/accounts.ts';
import type { LegacyApp } from './authorize.ts';
import type { System } from '../bridge/system.ts';

/** Makes the grant and the tokens of an app those of another account; the modern side of a test has one person. */
export async function giveToAccount(
  { bridge: { context } }: System,
  { clientId }: LegacyApp,
  account: string,
): Promise<void> {
  const { durable } = context.store;
  await upsertAccount(durable, { account_id: account, updated_at: context.clock.now() });
  for (const table of ['grants', 'mappings'] as const) {
    await durable
      .updateTable(table)
      .set({ account_id: account })
      .where('client_id', '=', clientId)
      .where('account_id', 'is not', null)
      .execute();
  }
}
