import { keepToldText, type ToldText } from '../../store/posts/told-texts.ts';
import { withoutCacheFaults } from '../grants/refresh/answer-cache.ts';
import { freshFor } from '../limits/freshness.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import type { PostsDeps } from './deps.ts';

/** Whether a text that was made of an answer of this time may be told without asking the new API. */
export function isFreshText(
  context: PostsDeps,
  { modernClientId, fetchedAt }: { modernClientId: string; fetchedAt: number },
): boolean {
  const age = context.clock.now() - fetchedAt;
  return age >= 0 && age < freshFor(context, { modernClientId });
}

/** A kept text that may be told. */
export interface CurrentText {
  text: string;
  /** The age of the last known answer in whole seconds; undefined where the answer is fresh. */
  age: number | undefined;
}

/**
 * The age in whole seconds, if a text of this time may be told as the last known answer: the breaker refuses all reads. The
 * call that finds out whether the new API answers again is refused by no breaker, so it goes to the ordinary way.
 */
function ageOfLastKnown({ sides, clock, settings }: PostsDeps, fetchedAt: number): number | undefined {
  const age = clock.now() - fetchedAt;
  const mayServe = sides.reads.refuses() && age >= 0 && age < settings.profilesStale;
  return mayServe ? Math.floor(age / 1000) : undefined;
}

/** The kept text of a call, if there is one and it may be told; whether it is right for the call, its `key` tells. */
export function currentText(
  context: PostsDeps,
  { text, fetched_at: fetchedAt, modern_client_id: modernClientId }: ToldText,
): CurrentText | undefined {
  if (text === null || fetchedAt === null || modernClientId === null) return undefined;
  if (isFreshText(context, { modernClientId, fetchedAt })) return { text, age: undefined };
  const age = ageOfLastKnown(context, fetchedAt);
  return age === undefined ? undefined : { text, age };
}

interface MadeText {
  table: Parameters<typeof keepToldText>[1];
  text: string;
  fetchedAt: number;
  key: string;
}

/**
 * The first word of each key, raised whenever a text is made in another form. A text that an earlier version of the bridge made is
 * not told then.
 */
export const TEXT_FORM = '3';

/** Longer texts are made anew for each call: many of them may be in memory at one time. */
export const LONGEST_KEPT = 256 * 1024;

/** Keeps a text of the answer about an account for the next calls, if they may be told it. No caller waits for this. */
export function keepText(
  context: PostsDeps,
  {
    grant_id: grantId,
    modern_client_id: modernClientId,
  }: Pick<ServedMapping, 'grant_id' | 'modern_client_id'>,
  { table, ...made }: MadeText,
): void {
  if (made.text.length > LONGEST_KEPT) return;
  if (!isFreshText(context, { modernClientId, fetchedAt: made.fetchedAt })) return;
  const told = { grantId, modernClientId, ...made };
  const keep = () => withoutCacheFaults(context, grantId, () => keepToldText(context.store, table, told));
  void context.flights.run(`keep ${table} ${grantId}`, keep);
}
