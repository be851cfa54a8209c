import type { OldBackend } from '../../upstream/old-backend.ts';
import type { Context } from '../context.ts';
import { type Ending, endingOf } from './lifecycle.ts';

/**
 * The old API as an app still has it. Without a client id: as an app has it that nothing is known of.
 */

/** Why an app has no old API at this moment; undefined while the retirement has not come for it and none is rehearsed. */
export function retirementOf(
  { lifecycle, clock }: Pick<Context, 'lifecycle' | 'clock'>,
  clientId: string | undefined,
): Ending | undefined {
  return endingOf(lifecycle.current(), 'retirement', { clientId, now: clock.now() });
}

/**
 * For calls that only the old API answers: it is there until the retirement, and is missed in a brownout before. `ending` is
 * why it is missed, of the same moment: whoever looked at the clock again for the refusal could find that it is over.
 */
export function oldBackendFor(
  context: Context,
  clientId: string | undefined,
): { oldBackend: OldBackend | undefined; ending: Ending | undefined } {
  const ending = retirementOf(context, clientId);
  return { oldBackend: ending ? undefined : context.oldBackend, ending };
}

/**
 * For what the bridge itself asks or tells the old API, and what would be missed for ever: an id that was told cannot be
 * taken back, and a token that was not ended lives on there. A brownout is over soon and changes nothing for good.
 */
export function oldBackendUntilRetired(
  context: Context,
  clientId: string | undefined,
): OldBackend | undefined {
  return retirementOf(context, clientId)?.because === 'date' ? undefined : context.oldBackend;
}
