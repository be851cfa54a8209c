import type { Database } from '../../store/driver/store.ts';
import { findLiveGrant } from '../../store/grants/grants.ts';
import type { DeedKind } from '../../store/tables/deeds.ts';
import { readTokenPlace, type TokenPlace } from '../../store/tokens/token-places.ts';
import { recordDeed } from '../history/record-deed.ts';

/** A token before an action and after it, so that the action can be taken back (docs/decisions/0036). */

/** A token as an action found it. */
export interface TokenWas extends TokenPlace {
  /** The live grant of its app and account; a later consent makes another one. */
  live_grant: string | null;
}

interface TokenDeedEnd {
  kind: DeedKind;
  at: number;
  actor: string;
  entry: string;
  /** Whether the grant that the token left has ended with the action. */
  hasEndedGrant: boolean;
}

async function liveGrantOf(tx: Database, { client_id: clientId, account_id: accountId }: TokenPlace) {
  const grant = accountId === null ? undefined : await findLiveGrant(tx, clientId, accountId);
  return grant?.id ?? null;
}

/** A token as it stands, with the live grant of its app and account. */
export async function tokenWas(tx: Database, place: TokenPlace): Promise<TokenWas> {
  return { ...place, live_grant: await liveGrantOf(tx, place) };
}

/** Reads a token before an action. `record` keeps the deed after it, in the same transaction; returns its id. */
export async function beginTokenDeed(tx: Database, mappingId: string) {
  const place = await readTokenPlace(tx, mappingId);
  const was = place && (await tokenWas(tx, place));
  const record = async ({ kind, at, actor, entry, hasEndedGrant }: TokenDeedEnd) => {
    const left = await readTokenPlace(tx, mappingId);
    if (!was || !left) return undefined;
    const part = { entry, thing: 'token' as const, subject: mappingId, clientId: left.client_id, was, left };
    const lost = hasEndedGrant ? ('connection_ended' as const) : undefined;
    return recordDeed(tx, { kind, at, actor, lost, parts: [part] });
  };
  return { record };
}
