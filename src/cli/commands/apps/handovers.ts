import { newestUnconfirmed } from '../../../domain/handover/unconfirmed.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const LISTED = 1000;

const CUT = `Only the newest ${LISTED} are listed. GET /api/v1/handovers lists all.`;

/** `handovers list`: token pairs that an app has taken over but not confirmed, the newest first. */
export async function listHandovers(): Promise<Result> {
  return withContext(async ({ context }) => {
    const { pairs, isCut } = await newestUnconfirmed(context, LISTED);
    const handovers = pairs.map((pair) => ({
      client_id: pair.clientId,
      name: pair.appName,
      account_id: pair.accountId,
      grant_id: pair.grantId,
      migrated_tokens: pair.migratedTokens,
      handed_at: new Date(pair.handedAt).toISOString(),
      is_kept: pair.isKept,
    }));
    const cut = isCut ? [CUT] : [];
    const lines = handovers.map(
      (one) =>
        `${one.handed_at}  ${one.name} (${one.client_id})  account ${one.account_id}  ${one.migrated_tokens} ${one.migrated_tokens === 1 ? 'token' : 'tokens'}  ${one.is_kept ? 'the pair is kept in case the app asks again' : 'the pair is erased'}`,
    );
    const none = 'No token pair waits for the confirmation of its app.';
    const rows = handovers.map((one) => {
      const kept = one.is_kept ? 'kept' : 'erased';
      return [one.handed_at, one.client_id, one.name, one.account_id, String(one.migrated_tokens), kept];
    });
    const table = {
      head: ['HANDED OVER', 'CLIENT ID', 'APP', 'ACCOUNT', 'TOKENS', 'PAIR'],
      rows,
      notes: cut,
    };
    const told = [...(lines.length > 0 ? lines : [none]), ...cut];
    return { ok: true, lines: told, table, json: { handovers, has_more: isCut } };
  });
}
