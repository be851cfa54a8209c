import type { AppTokens } from '../../domain/tokens-of-account.ts';
import { numberWords, type Sentence } from '../people/words.ts';
import { type AsOf, connectByWords } from '../dates/lines.ts';
import { tokenCount } from './state-words.ts';
import { tokenWords } from './token-words.ts';

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

/** Why an app has stopped for its holder. */
function stoppedWords(reason: string | null): string {
  const facts = { state: 'reauthorization_required', reason, isOwn: true, phase: 'before' } as const;
  const rest = {
    source: 'issued',
    grant_state: null,
    account_id: null,
    isExpected: false,
    hasOldApi: true,
  } as const;
  return tokenWords({ ...facts, ...rest }).reason;
}

/** Known only by what its calls say; the owner of the account knows best what it is. */
const PROGRAM = 'It holds a token of yours and is not connected to the new API.';

/** The name of an unidentified program without the words before it. */
const saidName = (name: string) => name.replace(/^unidentified program: /, '');

const works = (count: number) => `${tokenCount(count)} ${count === 1 ? 'works' : 'work'}`;

/** An app of which tokens of the person have stopped, or were never connected. */
export function appNeed(
  { clientId, name, isUnidentified, waiting }: AppTokens,
  { stopped, asOf }: { stopped: { reason: string | null; at: number } | undefined; asOf: AsOf },
): Need {
  const todo = {
    id: `needs-app-${clientId}`,
    action: `/apps/${clientId}/connect`,
    of: name,
  };
  const after = `${works(waiting)} after one confirmation.`;
  if (stopped)
    return {
      ...todo,
      kind: 'error',
      heading: `“${name}” has stopped`,
      words: [`${stoppedWords(stopped.reason)} ${after}`],
      at: stopped.at,
    };
  const by = connectByWords(asOf) ?? [];
  const program = isUnidentified ? `${PROGRAM} It says of itself: “${saidName(name)}”. ` : '';
  return {
    ...todo,
    kind: 'warning',
    heading: isUnidentified
      ? 'A program that nobody registered uses your account'
      : `“${name}” is not connected to the new API`,
    words: [`${program}${after} `, ...by],
  };
}

/** How many people an own app waits for. */
export function peopleWords(people: number): string {
  return people === 1 ? '1 person' : `${numberWords(people)} people`;
}
