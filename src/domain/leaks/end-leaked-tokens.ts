import { claimLeakEnd, type DueLeak, listDueLeaks } from '../../store/leaks/leaked-tokens.ts';
import { revokeClaimed } from '../tokens/revoke-token.ts';
import { yieldToEventLoop } from '../work/yield-to-event-loop.ts';
import type { LeaksDeps } from './deps.ts';

/** Revokes reported tokens when their time has come. Any process may do so at any time: each end is claimed once. */

/** The reason of the end, as the mapping keeps it (`tokens/standing/ends.ts` has its words). */
const LEAKED = 'leaked';

const TOKENS_AT_ONCE = 100;

/** One token that cannot be revoked must not keep the others alive. */
async function endOne(
  context: LeaksDeps,
  { mapping_id: mappingId, reported_by: actor }: DueLeak,
): Promise<void> {
  const asked = { mappingId, reason: LEAKED, actor, requestId: null };
  try {
    await revokeClaimed(context, asked, (tx) => claimLeakEnd(tx, mappingId, context.clock.now()));
  } catch (error) {
    context.logger.error('a leaked token could not be revoked, the bridge tries again', { mappingId, error });
  }
}

/**
 * Revokes the reported tokens whose time has come: all, or some of them. Stops when the process stops; the rest ends
 * after the next start.
 */
export async function endLeakedTokens(context: LeaksDeps, only?: readonly string[]): Promise<void> {
  const { signal } = context.shutdown;
  let after = '';
  for (;;) {
    const asked = { now: context.clock.now(), limit: TOKENS_AT_ONCE, after, only };
    const due = await listDueLeaks(context.store.durable, asked);
    for (const one of due) {
      if (signal.aborted) return;
      await endOne(context, one);
      await yieldToEventLoop();
      after = one.mapping_id;
    }
    if (due.length < TOKENS_AT_ONCE) return;
  }
}
