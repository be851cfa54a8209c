import type { Grant } from '../../../store/tables/tables.ts';

/**
 * How long this process itself has seen a claim stand, by its monotonic clock. Wall clocks may be set, on this machine
 * or on the database's; a version in doubt is presented again only after a quiet time that was really waited for.
 */
export interface ClaimAge {
  /** Milliseconds since this process first saw the grant's present claim; 0 at the first look. */
  seenFor(grant: Pick<Grant, 'id' | 'claim_id'>): number;
  /** The grant stands on no claim any more. */
  forget(grantId: string): void;
}

/** The watch of one process. */
export function createClaimAge(clock: { elapsed(): number }): ClaimAge {
  const seen = new Map<string, { claimId: string | null; since: number }>();
  return {
    seenFor({ id, claim_id: claimId }) {
      const known = seen.get(id);
      if (known && known.claimId === claimId) return clock.elapsed() - known.since;
      seen.set(id, { claimId, since: clock.elapsed() });
      return 0;
    },
    forget: (grantId) => void seen.delete(grantId),
  };
}
