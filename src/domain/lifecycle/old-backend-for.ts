import type { OldBackend } from '../../upstream/old-backend.ts';
import type { LifecycleDeps } from './deps.ts';
import { type LifecycleEnding, endingOf } from './lifecycle.ts';

/** The old API that an app can still reach. Pass no client id for an app that is not known. */

/**
 * Why an app has no old API at this moment. Undefined before the app's retirement, outside of brownouts that rehearse
 * it.
 */
export function retirementOf(
  { lifecycle, clock }: Pick<LifecycleDeps, 'lifecycle' | 'clock'>,
  clientId: string | undefined,
): LifecycleEnding | undefined {
  return endingOf(lifecycle.current(), 'retirement', { clientId, now: clock.now() });
}

/**
 * For calls that only the old API answers. `oldBackend` is present until the retirement and absent during a brownout.
 * `ending` says why `oldBackend` is absent. Use this `ending` for the refusal: a second look at the clock could find
 * the brownout over.
 */
export function oldBackendFor(
  context: LifecycleDeps,
  clientId: string | undefined,
): { oldBackend: OldBackend | undefined; ending: LifecycleEnding | undefined } {
  const ending = retirementOf(context, clientId);
  return { oldBackend: ending ? undefined : context.oldBackend, ending };
}

/**
 * For requests of the bridge itself to the old API. A brownout does not stop these requests, because a skipped request
 * would be missed for ever: an id that the bridge has told cannot be taken back, and a token that was not ended lives
 * on at the old API. A brownout is soon over and must change nothing for good.
 */
export function oldBackendUntilRetired(
  context: LifecycleDeps,
  clientId: string | undefined,
): OldBackend | undefined {
  return retirementOf(context, clientId)?.because === 'date' ? undefined : context.oldBackend;
}
