import { DEAD_GRANT_KEPT } from '../../shared/lifetimes.ts';
import { unconfirmedHandovers } from '../../store/tokens/app-tokens.ts';
import type { HandoverDeps } from './deps.ts';

/** Hand-overs that an app has not confirmed. */

/** The hand-overs that an app has not confirmed while their pairs are kept. A confirmation has no end. */
export interface AwaitedHandovers {
  awaited: number;
  /** When the first of them was handed over, and when its pair is erased. */
  awaitedSince?: number | undefined;
  awaitedUntil?: number | undefined;
  /** Whether more may be awaited than were counted. */
  isAwaitedPart?: boolean | undefined;
}

/** At most so many hand-overs of an app are looked at, for each of the two. */
const HANDOVERS_READ = 20_000;

type AwaitedDeps = Pick<HandoverDeps, 'store' | 'clock'>;

/** The hand-overs of an app whose pairs are kept for its confirmation. */
export async function awaitedHandovers(
  { store, clock }: AwaitedDeps,
  clientId: string,
): Promise<AwaitedHandovers> {
  const now = clock.now();
  const span = { after: now - DEAD_GRANT_KEPT, before: now, limit: HANDOVERS_READ };
  const { n: awaited, since, isPart } = await unconfirmedHandovers(store.durable, clientId, span);
  return {
    awaited,
    awaitedSince: since,
    awaitedUntil: since === undefined ? undefined : since + DEAD_GRANT_KEPT,
    isAwaitedPart: isPart,
  };
}

/** How many hand-overs of an app were never confirmed before their pairs were erased. */
export async function lostHandovers({ store, clock }: AwaitedDeps, clientId: string): Promise<number> {
  const span = { before: clock.now() - DEAD_GRANT_KEPT, limit: HANDOVERS_READ };
  return (await unconfirmedHandovers(store.durable, clientId, span)).n;
}
