import { freshFor } from '../limits/freshness.ts';
import type { PostsDeps } from './deps.ts';

/** Whether a text that was made of an answer of this time may be told without asking the new API. */
export function isFreshText(
  context: PostsDeps,
  { modernClientId, fetchedAt }: { modernClientId: string; fetchedAt: number },
): boolean {
  const age = context.clock.now() - fetchedAt;
  return age >= 0 && age < freshFor(context, { modernClientId });
}
