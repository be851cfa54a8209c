import { type TokenStanding, standingOf } from '../../../domain/tokens/standing/standing.ts';
import { STANDING_WORDS, standingWords } from '../../../domain/tokens/standing/words.ts';
import { stoppedReason } from '../../../domain/tokens/standing/for-person.ts';
import type { AppTokens } from '../../../domain/tokens/tokens-of-account.ts';
import { formatNumber, type Sentence } from '../../wording/words.ts';
import { type AppLifecycle, oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { connectByWords } from '../../wording/dates/lines.ts';
import { tokenCount } from '../../wording/state-words.ts';

/** The tasks of a signed-in person, each with its one next step. */

export interface AppNeed {
  /** The id of its section on the page. */
  id: string;
  kind: 'error' | 'warning';
  heading: string;
  words: Sentence;
  /** When the app stopped. */
  at?: number;
  /** The address to which its form is sent. */
  action: string;
  /** The name of the app, for people who hear only the button. */
  of: string;
  /** For a program that nobody registered: its page, where its calls are shown and it can be revoked. */
  look: string | undefined;
}

/** For a program that is known only by its own calls. The account holder knows best which program it is. */
const PROGRAM = 'It holds a token of yours and is not connected to the new API.';

/** The name of an unidentified program, without the prefix. */
const saidName = (name: string) => name.replace(/^unidentified program: /, '');

/** The effect of one consent. Without an old API only the calls that the new API answers will work. */
function afterWords(count: number, hasOldApi: boolean): string {
  const works = count === 1 ? 'works' : 'work';
  const what = hasOldApi ? '' : ', for calls that the new API answers';
  return `Connect once, and ${tokenCount(count)} ${works}${what}.`;
}

/** Whether the old API never saw any of the tokens that wait, so that it answers none of their calls. */
const isNewHere = ({ waiting, unknownThere }: AppTokens) => waiting === unknownThere;

/** Most tokens are older than the bridge, so that the old API knows them. */
function unconnectedStanding(app: AppTokens, asOf: AppLifecycle): TokenStanding {
  const oldApi = oldApiStatusOf(asOf);
  const source = isNewHere(app) ? 'registration' : 'imported';
  return standingOf({ state: 'unmapped', reason: null, source, oldApi });
}

/** The heading for an app that was never connected. */
function unconnectedHeading(app: AppTokens, asOf: AppLifecycle): string {
  const { name, isUnidentified } = app;
  const standing = unconnectedStanding(app, asOf);
  const { headline } = standingWords(standing);
  if (isUnidentified)
    return `A program that nobody registered ${standing.is === 'passed' ? 'uses your account' : headline}`;
  const why = standing.is === 'refused' ? ': it is not connected to the new API' : '';
  return `“${name}” ${headline}${why}`;
}

/** The need of an app with tokens of the person that have stopped, or that were never connected. */
export function appNeed(
  app: AppTokens,
  { stopped, asOf }: { stopped: { reason: string | null; at: number } | undefined; asOf: AppLifecycle },
): AppNeed {
  const { clientId, name, isUnidentified, waiting } = app;
  const todo = {
    id: `needs-app-${clientId}`,
    action: `/apps/${clientId}/connect`,
    of: name,
    look: isUnidentified ? `/apps/${clientId}` : undefined,
  };
  const { phase, hasOldApi } = oldApiStatusOf(asOf);
  const isNew = isNewHere(app);
  const after = afterWords(waiting, hasOldApi && !isNew);
  if (stopped)
    return {
      ...todo,
      kind: 'error',
      heading: `“${name}” ${STANDING_WORDS.stopped.headline}`,
      words: [`${stoppedReason({ reason: stopped.reason, hasEnded: phase === 'ended' }, true)} ${after}`],
      at: stopped.at,
    };
  const by = connectByWords(isNew ? { ...asOf, hasBackend: false } : asOf) ?? [];
  const program = isUnidentified ? `${PROGRAM} It calls itself “${saidName(name)}”. ` : '';
  return {
    ...todo,
    kind: 'warning',
    heading: unconnectedHeading(app, asOf),
    words: [`${program}${after} `, ...by],
  };
}

/** How many people have still to connect an app. */
export function peopleWords(people: number, isMore = false): string {
  const words = people === 1 ? '1 person' : `${formatNumber(people)} people`;
  return isMore ? `at least ${words}` : words;
}
