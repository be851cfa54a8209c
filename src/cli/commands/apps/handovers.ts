import { listUnconfirmed } from '../../../store/grants/handovers.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** `handovers list`: token pairs that an app has taken over but not confirmed, the oldest first. */
export async function listHandovers(): Promise<Result> {
  return withContext(async ({ context }) => {
    const handovers = (await listUnconfirmed(context.store.durable)).map((row) => ({
      client_id: row.client_id,
      name: row.name,
      account_id: row.account_id,
      grant_id: row.grant_id,
      migrated_tokens: row.migrated_tokens,
      handed_at: new Date(row.handed_at).toISOString(),
      is_kept: row.refresh_token_sealed !== null,
    }));
    const lines = handovers.map(
      (one) =>
        `${one.handed_at}  ${one.name} (${one.client_id})  account ${one.account_id}  ${one.migrated_tokens} ${one.migrated_tokens === 1 ? 'token' : 'tokens'}  ${one.is_kept ? 'the pair is kept in case the app asks again' : 'the pair is erased'}`,
    );
    const none = 'No token pair waits for the confirmation of its app.';
    const rows = handovers.map((one) => {
      const kept = one.is_kept ? 'kept' : 'erased';
      return [one.handed_at, one.client_id, one.name, one.account_id, String(one.migrated_tokens), kept];
    });
    const table = { head: ['HANDED OVER', 'CLIENT ID', 'APP', 'ACCOUNT', 'TOKENS', 'PAIR'], rows };
    return { ok: true, lines: lines.length > 0 ? lines : [none], table, json: { handovers } };
  });
}
