import { type ExpressionBuilder, sql } from 'kysely';
import { REST_MAX } from '../../shared/lifetimes.ts';
import { builtOnce, changedOne } from '../driver/built-once.ts';
import type { Database } from '../driver/store.ts';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { GrantVersion, Tables } from '../tables/tables.ts';
import { isRested } from './presentations.ts';
import { isUndisturbed, type SeenBreaker, undoubtedSince } from './refresh-breaker.ts';

/** The claim of one version of a grant's pair, before its refresh token is presented (docs/decisions/0003). */

/** The state that a claim was decided on. A row that has changed since then is not claimed. */
export interface ClaimDecision {
  from: 'ready' | 'in_doubt';
  /** The earlier claim, as read. A newer presentation restarts the quiet time. */
  seenClaim: string | null;
  /** The unique name of this claim. */
  claimId: string;
  /** Only while no other grant of the account, live or handed over, belongs to the same client at the new API. */
  ifAlone?: boolean;
  now: number;
  /** The database as last seen. On a copy or an older database no claim is made (docs/decisions/0010). */
  instance: SeenInstance;
  /** Only while no answer was lost since the breaker was read. */
  breaker?: SeenBreaker | undefined;
}

const hasSibling = (eb: ExpressionBuilder<Tables, 'grants'>) =>
  eb.exists(
    eb
      .selectFrom('grants as other')
      .select('other.id')
      .whereRef('other.account_id', '=', 'grants.account_id')
      .whereRef('other.modern_client_id', '=', 'grants.modern_client_id')
      .whereRef('other.id', '<>', 'grants.id')
      // A pair that was handed over lives on at the new API, with another holder.
      .where((on) =>
        on.or([
          on('other.state', '<>', sql.lit('dead')),
          on('other.dead_cause', '=', sql.lit('handed_over')),
        ]),
      ),
  );

type ClaimValues = GrantVersion &
  Pick<ClaimDecision, 'seenClaim' | 'claimId' | 'now'> & {
    latestRest: number;
    instance: string;
    epoch: number;
    /** Unused by a claim that the breaker allows in another way. */
    turn: number;
    undoubted: number;
  };

interface ClaimKind extends Pick<ClaimDecision, 'from'> {
  ifAlone: boolean;
  /** Whether the claim holds only while the breaker stays as it was read. */
  isFree: boolean;
}

const claiming = ({ from, ifAlone, isFree }: ClaimKind) =>
  builtOnce((db: Database, claim: ClaimValues) =>
    db
      .updateTable('grants')
      .set((eb) => ({
        state: 'presenting',
        claim_id: claim.claimId,
        presented_at: claim.now,
        doubted_at: null,
        put_off_at: null,
        attempts: eb('attempts', '+', 1),
        updated_at: claim.now,
      }))
      .where('id', '=', claim.id)
      .where('version', '=', claim.version)
      .where('state', '=', sql.lit(from))
      .where('claim_id', 'is not distinct from', claim.seenClaim)
      .where(isRested(claim.now, claim.latestRest))
      .where(isOriginal({ id: claim.instance, epoch: claim.epoch }))
      .$if(isFree, (query) => query.where(isUndisturbed(claim)))
      .$if(ifAlone, (query) => query.where((eb) => eb.not(hasSibling(eb))))
      .compile(),
  );

const claimsFrom = (from: ClaimDecision['from']) => ({
  alone: {
    free: claiming({ from, ifAlone: true, isFree: true }),
    counted: claiming({ from, ifAlone: true, isFree: false }),
  },
  any: {
    free: claiming({ from, ifAlone: false, isFree: true }),
    counted: claiming({ from, ifAlone: false, isFree: false }),
  },
});

const CLAIMS = { ready: claimsFrom('ready'), in_doubt: claimsFrom('in_doubt') };

/** Claims the right to present version v. The claim is durable before the first byte leaves. */
export async function claimPresenting(
  db: Database,
  { id, version }: GrantVersion,
  { from, seenClaim, claimId, ifAlone, now, instance, breaker }: ClaimDecision,
): Promise<boolean> {
  const claim = CLAIMS[from][ifAlone ? 'alone' : 'any'][breaker ? 'free' : 'counted'];
  const result = await claim(db, {
    id,
    version,
    seenClaim,
    claimId,
    now,
    latestRest: now + REST_MAX,
    instance: instance.id,
    epoch: instance.epoch,
    turn: breaker?.turn ?? 0,
    undoubted: breaker ? undoubtedSince(breaker) : 0,
  });
  return changedOne(result);
}
