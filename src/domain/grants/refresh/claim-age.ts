import type { Grant } from '../../../store/tables/tables.ts';

/**
 * Measures how long this process has seen a claim stand, by its monotonic clock. Somebody may set the wall clock of
 * this machine or of the database. A version in doubt is presented again only after a quiet time that has really
 * passed.
 */
export interface ClaimAge {
  /** Milliseconds since this process first saw the grant's present claim; 0 at the first look. */
  seenFor(grant: Pick<Grant, 'id' | 'claim_id'>): number;
  /** Forgets a grant that has no claim any more. */
  forget(grantId: string): void;
}

/** The claim ages of one process. */
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
