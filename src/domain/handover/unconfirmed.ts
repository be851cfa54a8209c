import { listUnconfirmed, listUnconfirmedAfter } from '../../store/grants/handovers.ts';
import type { HandoverDeps } from './deps.ts';

/** Hand-overs of which the app has confirmed neither the pair nor a later one of the same account. */

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

function pairOf(row: Awaited<ReturnType<typeof listUnconfirmed>>[number]): UnconfirmedPair {
  return {
    grantId: row.grant_id,
    clientId: row.client_id,
    appName: row.name,
    accountId: row.account_id,
    handedAt: row.handed_at,
    migratedTokens: row.migrated_tokens,
    isKept: row.refresh_token_sealed !== null,
  };
}

const PAGE = 100;

/** A page in the order of the grants; `next` is the cursor of the next page. */
export async function unconfirmedPage(
  { store }: Pick<HandoverDeps, 'store'>,
  after = '',
): Promise<{ pairs: UnconfirmedPair[]; next: string | undefined }> {
  const rows = await listUnconfirmedAfter(store.durable, after, PAGE + 1);
  const pairs = rows.slice(0, PAGE).map(pairOf);
  return { pairs, next: rows.length > PAGE ? pairs.at(-1)?.grantId : undefined };
}

/** The newest of them, at most `limit`. Those before them have mostly lost their pair. */
export async function newestUnconfirmed(
  { store }: Pick<HandoverDeps, 'store'>,
  limit: number,
): Promise<{ pairs: UnconfirmedPair[]; isCut: boolean }> {
  const rows = await listUnconfirmed(store.durable, limit + 1);
  return { pairs: rows.slice(0, limit).map(pairOf), isCut: rows.length > limit };
}
