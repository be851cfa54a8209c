import type { LifecycleDeps } from './deps.ts';
import { dateFor, endingOf, type Lifecycle, type LifecycleEnding, type Milestone } from './lifecycle.ts';

/** What the dates have brought to one app at one moment. */

/** The app and the moment. Without a client id: an app that has no extension. */
export interface AppLifecycle {
  lifecycle: Lifecycle;
  clientId: string | undefined;
  now: number;
  /** Whether an old API is configured: until the retirement the old API answers tokens that are not connected. */
  hasBackend: boolean;
}

/** What has passed for an app: nothing yet, its retirement, or its sunset. */
export type Phase = 'before' | 'retired' | 'ended';

/** A brownout that changes calls of the app at this moment. */
interface Outage {
  rehearses: Milestone;
  endsAt: number;
}

/** What the standing of a token depends on. */
export interface OldApiFacts {
  phase: Phase;
  /** Whether an old API is configured, retired or not. */
  hasBackend: boolean;
  outage?: Outage | undefined;
  /** The date of the retirement for the app, past or ahead. */
  retiresAt?: number | undefined;
  /** The date of the sunset for the app, past or ahead. */
  sunsetAt?: number | undefined;
}

export interface OldApiStatus extends OldApiFacts {
  /**
   * Whether an old API answers tokens that are not connected, outside of brownouts; never after the retirement.
   */
  hasOldApi: boolean;
}

/** The phase that two endings amount to. */
function phaseOf(retirement: LifecycleEnding | undefined, sunset: LifecycleEnding | undefined): Phase {
  if (sunset?.because === 'date') return 'ended';
  return retirement?.because === 'date' ? 'retired' : 'before';
}

function outageOf(ending: LifecycleEnding | undefined): Outage | undefined {
  if (ending?.because !== 'brownout') return undefined;
  return { rehearses: ending.milestone, endsAt: ending.brownout.endsAt };
}

/**
 * The old API as a call with a token meets it, where `ending` says why the old API is not asked. Calls meet the sunset
 * before the bridge looks at their token, so a sunset is never a part of this.
 */
export function oldApiOfCall(ending: LifecycleEnding | undefined, hasBackend: boolean): OldApiFacts {
  const retiresAt = ending?.because === 'date' ? ending.at : undefined;
  return { phase: phaseOf(ending, undefined), hasBackend, outage: outageOf(ending), retiresAt };
}

/** The old API for an app at one moment. Without an old API a brownout of the retirement takes nothing away. */
export function oldApiStatusOf({ lifecycle, hasBackend, ...asked }: AppLifecycle): OldApiStatus {
  const retirement = endingOf(lifecycle, 'retirement', asked);
  const sunset = endingOf(lifecycle, 'sunset', asked);
  const phase = phaseOf(retirement, sunset);
  const outage = outageOf(sunset) ?? (hasBackend ? outageOf(retirement) : undefined);
  return {
    phase,
    hasBackend,
    hasOldApi: hasBackend && phase === 'before',
    outage: phase === 'ended' ? undefined : outage,
    retiresAt: dateFor(lifecycle, 'retirement', asked.clientId),
    sunsetAt: dateFor(lifecycle, 'sunset', asked.clientId),
  };
}

/** The old API for an app now. */
export function oldApiStatusNow(
  { lifecycle, clock, oldBackend }: Pick<LifecycleDeps, 'lifecycle' | 'clock' | 'oldBackend'>,
  clientId: string | undefined,
): OldApiStatus {
  const hasBackend = oldBackend !== undefined;
  return oldApiStatusOf({ lifecycle: lifecycle.current(), clientId, now: clock.now(), hasBackend });
}
