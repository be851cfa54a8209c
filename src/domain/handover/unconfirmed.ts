import { listUnconfirmedAfter } from '../../store/grants/handovers.ts';
import type { HandoverDeps } from './deps.ts';

/** Hand-overs that no app has confirmed, page by page. */

interface UnconfirmedPair {
  grantId: string;
  clientId: string;
  appName: string;
  accountId: string;
  handedAt: number;
  migratedTokens: number;
  /** Whether the pair is kept in case the app asks again. */
  isKept: boolean;
}

const PAGE = 100;

/** A page in the order of the grants; `next` is the cursor of the next page. */
export async function unconfirmedPage(
  { store }: Pick<HandoverDeps, 'store'>,
  after = '',
): Promise<{ pairs: UnconfirmedPair[]; next: string | undefined }> {
  const rows = await listUnconfirmedAfter(store.durable, after, PAGE + 1);
  const pairs = rows.slice(0, PAGE).map((row) => ({
    grantId: row.grant_id,
    clientId: row.client_id,
    appName: row.name,
    accountId: row.account_id,
    handedAt: row.handed_at,
    migratedTokens: row.migrated_tokens,
    isKept: row.refresh_token_sealed !== null,
  }));
  return { pairs, next: rows.length > PAGE ? pairs.at(-1)?.grantId : undefined };
}
