import type { AppTokens } from '../../../domain/tokens/tokens-of-account.ts';
import { numberWords, type Sentence } from '../../wording/words.ts';
import { type AsOf, connectByWords, type Footing, footingOf } from '../../wording/dates/lines.ts';
import { tokenCount } from '../../wording/state-words.ts';
import { stoppedReason } from '../../wording/token-words.ts';

/** What asks for something of the person who looks at the own apps, each with the one thing to do. */

export interface Need {
  /** Of its section on the page. */
  id: string;
  kind: 'error' | 'warning';
  heading: string;
  words: Sentence;
  /** When it happened. */
  at?: number;
  /** Where its form is sent. */
  action: string;
  /** The app, for those who hear the button alone. */
  of: string;
}

/** Known only by what its calls say; the owner of the account knows best what it is. */
const PROGRAM = 'It holds a token of yours and is not connected to the new API.';

/** The name of an unidentified program without the words before it. */
const saidName = (name: string) => name.replace(/^unidentified program: /, '');

/** What one confirmation brings: where no old API is there, no more than the new one answers. */
function afterWords(count: number, { hasOldApi }: Footing): string {
  const works = count === 1 ? 'works' : 'work';
  const what = hasOldApi ? '' : ', for calls that the new API answers';
  return `${tokenCount(count)} ${works} after one confirmation${what}.`;
}

/** What is wrong with an app that was never connected. */
function unconnectedHeading({ name, isUnidentified }: AppTokens, asOf: AsOf): string {
  const isRefused = !footingOf(asOf).hasOldApi;
  if (isUnidentified)
    return isRefused
      ? 'A program that nobody registered is refused'
      : 'A program that nobody registered uses your account';
  return isRefused
    ? `“${name}” is refused: it is not connected to the new API`
    : `“${name}” is not connected to the new API`;
}

/** An app of which tokens of the person have stopped, or were never connected. */
export function appNeed(
  app: AppTokens,
  { stopped, asOf }: { stopped: { reason: string | null; at: number } | undefined; asOf: AsOf },
): Need {
  const { clientId, name, isUnidentified, waiting } = app;
  const todo = {
    id: `needs-app-${clientId}`,
    action: `/apps/${clientId}/connect`,
    of: name,
  };
  const after = afterWords(waiting, footingOf(asOf));
  if (stopped)
    return {
      ...todo,
      kind: 'error',
      heading: `“${name}” has stopped`,
      words: [
        `${stoppedReason({ reason: stopped.reason, isOwn: true, phase: footingOf(asOf).phase })} ${after}`,
      ],
      at: stopped.at,
    };
  const by = connectByWords(asOf) ?? [];
  const program = isUnidentified ? `${PROGRAM} It says of itself: “${saidName(name)}”. ` : '';
  return {
    ...todo,
    kind: 'warning',
    heading: unconnectedHeading(app, asOf),
    words: [`${program}${after} `, ...by],
  };
}

/** How many people an own app waits for. */
export function peopleWords(people: number, isMore = false): string {
  const words = people === 1 ? '1 person' : `${numberWords(people)} people`;
  return isMore ? `at least ${words}` : words;
}
