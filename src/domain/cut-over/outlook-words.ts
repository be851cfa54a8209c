import { DAYS_MEASURED } from './moving-calls.ts';
import { OLD_CALLS } from '../old-calls/old-calls.ts';
import { type CountedDays, gapAfterNone, gapWords, noneWords, textOfWords } from '../usage/counted-days.ts';
import type { KindNeed, Outlook, WindowNeed } from './reckon.ts';

/** An outlook in sentences. Operators, support staff and owners read the same sentences. */

const number = (value: number) => value.toLocaleString('en-US');

const counted = (count: number, one: string, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** The length of a window: `30 days`, `15 minutes`. */
function lengthWords(seconds: number): string {
  const [size, unit] = UNITS.find(([one]) => seconds % one === 0) ?? [1, 'second'];
  return counted(Math.round(seconds / size), unit);
}

function callWords({ call }: KindNeed): string {
  if (call === 'account') return 'for the accounts themselves';
  return call === 'other' ? 'for calls of many kinds' : `for ${OLD_CALLS[call].paths[0].replace('/1/', '')}`;
}

/** The calls that the figures include, and the calls that the figures cannot include. */
const RECKONED =
  'Each call counts as its dearest form: by an id that the old API told, and for the longest queue. A create for several profiles costs one for each, and a page far down a list up to six.';

/** With the words for what is known after it, in any of their forms. */
const NO_COST = 'No call of theirs that moves and will cost a request of the new API';

function needWords({ need, counted: known = WHOLE }: Outlook, { time }: Reader): string {
  if (need.day === undefined) return `${textOfWords(noneWords(NO_COST, known), time)}.`;
  const kinds = need.kinds.map((kind) => `${number(kind.requests)} ${callWords(kind)}`);
  return `On their busiest day, ${need.day}, they made ${counted(need.calls, 'call')} that will cost ${counted(need.requests, 'request')} of the new API: ${kinds.join(', ')}. ${RECKONED}`;
}

/** Where calls are missing, more may be added than is known, and what is enough for the known calls proves nothing. */
function windowWords(
  { limit, used, added, usable, seconds, suffices }: WindowNeed,
  { isPartial }: CountedDays,
): string {
  const enough = isPartial ? 'enough for the calls that are known' : 'enough';
  const about = isPartial ? 'at least' : 'about';
  return `In ${lengthWords(seconds)} the client may send ${counted(limit, 'request')}, of which ${number(usable)} serve calls. ${number(used)} are used and ${about} ${number(added)} will be added: ${suffices ? enough : 'NOT enough'}.`;
}

/** The known budget in sentences. `time` formats a moment. */
function budgetWords(
  { windows, saidAt, counted: known = WHOLE }: Outlook,
  time: (at: number) => string,
): string[] {
  if (saidAt === undefined || windows.length === 0)
    return [
      'The new API has not told its budget (RateLimit-Policy) to this client yet. Whether it suffices is not known.',
    ];
  return [
    `The new API told the budget at ${time(saidAt)}.`,
    ...windows.map((window) => windowWords(window, known)),
  ];
}

function scopeWords({ withoutPosts: { accounts, tokens } }: Outlook): string[] {
  if (tokens === 0) return [];
  return [
    `${counted(accounts, 'account')} with ${counted(tokens, 'token')} never consented to posts:read and posts:write: at the new API their calls about posts get 403 until they connect the app again.`,
  ];
}

const WHOLE: CountedDays = { days: DAYS_MEASURED, isPartial: false };

/** Why the need is a lower bound; empty where all calls are counted. */
function gapLines({ need, counted: known = WHOLE }: Outlook, { time }: Reader): string[] {
  if (!known.isPartial) return [];
  // The sentence before names the moment where no call is known.
  const gap = need.day === undefined ? gapAfterNone(known) : textOfWords(gapWords(known), time);
  return [
    `${gap} The calls of ${known.days} days may need more than that, and whether the budget suffices is not known.`,
  ];
}

interface Reader {
  time: (at: number) => string;
  /** The client that is shared by all apps without a client of their own. */
  sharedClientId: string;
}

/** Names the client of an outlook. */
function clientWords({ modernClientId }: Pick<Outlook, 'modernClientId'>, reader: Reader): string {
  return modernClientId === reader.sharedClientId
    ? 'the client that all apps without one of their own share'
    : `the app’s own client ${modernClientId}`;
}

/** Sentences about one client: the accounts that move, the requests that they need, and the budget. */
export function outlookWords(outlook: Outlook, reader: Reader): string[] {
  const { accounts, apps, tokens, countedAt } = outlook;
  const once = apps === 1 ? '' : ' (counted once for each app)';
  const asOf = countedAt === undefined ? '' : `, as counted at ${reader.time(countedAt)}`;
  return [
    `${counted(accounts, 'account')}${once} with ${counted(tokens, 'token')} at ${clientWords(outlook, reader)}${asOf}:`,
    needWords(outlook, reader),
    ...gapLines(outlook, reader),
    ...budgetWords(outlook, reader.time),
    ...scopeWords(outlook),
  ];
}

/** Whether a budget is known to be too small, so that a person has to confirm a retirement. */
export function isShort(outlooks: readonly Outlook[]): boolean {
  return outlooks.some(({ verdict }) => verdict === 'short');
}

/** Whether a person has to confirm a budget that is too small or not known. */
export function isDoubtful(outlooks: readonly Outlook[]): boolean {
  return outlooks.some(({ verdict }) => verdict !== 'suffices');
}

/** The verdict over all clients in one sentence. */
export function verdictWords(outlooks: readonly Outlook[]): string {
  if (isShort(outlooks)) return 'The budget at the new API does not suffice for the calls that move there.';
  return isDoubtful(outlooks)
    ? 'Whether the budget at the new API suffices for the calls that move there is not known.'
    : 'The budget at the new API suffices for the calls that move there.';
}

/** Advice where the shared client has too small a budget; undefined where a separate client would not help. */
export function adviceWords(outlooks: readonly Outlook[], sharedClientId: string): string | undefined {
  const isShared = outlooks.some(
    ({ modernClientId, verdict }) => modernClientId === sharedClientId && verdict !== 'suffices',
  );
  return isShared
    ? 'A client of its own gives an app a budget of its own: its owner enters it on the page of the app, and each account has it from its next consent on.'
    : undefined;
}
