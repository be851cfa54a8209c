import { endpointsElsewhere, endpointsPassed } from '../../usage/calls-of.ts';
import type { AppPart } from '../people.ts';
import { appDateOf, isBridgeAlone, type RoleFacts } from './about-app.ts';
import type { LetterBlock } from './content.ts';
import { letterCountWords, letterDayWords } from './moments.ts';
import { plainWords } from './plain.ts';
import { isRefused } from './stages.ts';

/** The calls in use that a connection does not save. A mail that asks for a connection must not promise these calls. */

const ENDPOINTS_MAX = 5;

type LostFacts = Pick<RoleFacts<AppPart>, 'app' | 'calls' | 'due'>;

/** The names of some endpoints, cleaned because callers choose the names. */
export function endpointNames(endpoints: readonly string[]): string {
  const more = endpoints.length - ENDPOINTS_MAX;
  const named = endpoints.slice(0, ENDPOINTS_MAX).map(plainWords).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/**
 * The endpoints that no connection saves, now or from the retirement on. Empty after the sunset, and as long as the old
 * API answers and no retirement is set. While the old API answers, only endpoints that it answered are lost. Calls of
 * refused tokens do not reach the old API, so nobody knows what it would answer to them.
 */
export function lostEndpoints({ app, calls, due }: LostFacts): string[] {
  const isOver = (appDateOf(app, 'sunset')?.at ?? Infinity) <= app.reader.now;
  const isAlone = isBridgeAlone(app);
  if (isOver || (!isAlone && appDateOf(app, 'retirement') === undefined)) return [];
  const isUnknown = isAlone || due.every((one) => isRefused(one, app.reader));
  return (isUnknown ? endpointsElsewhere : endpointsPassed)(calls?.kinds ?? []);
}

/** Says which calls a connection does not bring back or keep, and who can change the app. */
export function lostCalls(facts: RoleFacts<AppPart>): LetterBlock[] {
  const { app } = facts;
  const lost = lostEndpoints(facts);
  if (lost.length === 0) return [];
  const retirement = appDateOf(app, 'retirement');
  const some = `${lost.length === 1 ? 'one kind of call' : `${letterCountWords(lost.length, 'kind')} of calls`} that it makes`;
  const what =
    isBridgeAlone(app) || !retirement
      ? `Connecting does not bring back ${some}`
      : `From ${letterDayWords(retirement.at, app.reader)} on ${some} ${lost.length === 1 ? 'is' : 'are'} refused, connected or not`;
  return [{ kind: 'text', text: `${what}. Whoever makes this app has to change it.` }];
}
