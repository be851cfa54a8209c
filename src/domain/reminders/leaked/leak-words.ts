import type { Leak } from '../../../store/leaks/leaked-tokens.ts';
import type { PersonRole } from '../../../store/tables/lifecycle.ts';
import type { LetterBlock, LetterLine } from '../letter/content.ts';
import { SIGN_IN } from '../letter/evidence.ts';
import { letterCountWords, type LetterReader, localWords, momentWords } from '../letter/moments.ts';
import { plainPlace } from '../letter/plain.ts';

/** The words of the mail about leaked tokens. */

/** A leaked token as the mail tells of it. */
type ToldToken = Leak & { hintLast: string | null; lastUsedAt: number | null };

/** The leaked tokens of one app. */
export interface LeakedApp {
  clientId: string;
  /** Cleaned, safe to be shown. */
  name: string;
  /** What the reader is for these tokens. */
  roles: ReadonlySet<PersonRole>;
  tokens: readonly ToldToken[];
}

/** Tokens in the lists of one mail together. Nobody reads a longer list, and mail programs cut a long mail. */
const TOKENS_TOLD = 20;
const PLACES_TOLD = 3;

const isOpen = ({ endedAt }: ToldToken) => endedAt === null;

const tokensWords = ({ tokens }: LeakedApp) =>
  tokens.length === 1 ? 'A token' : letterCountWords(tokens.length, 'token');

const haveLeaked = ({ tokens }: LeakedApp) => (tokens.length === 1 ? 'has leaked' : 'have leaked');

/** One line: which app, and that tokens have leaked. */
export function leakSubject(apps: readonly LeakedApp[]): string {
  const [first] = apps;
  if (first && apps.length === 1) return `${tokensWords(first)} of “${first.name}” ${haveLeaked(first)}`;
  return `Tokens of ${apps.length} apps have leaked`;
}

const revoked = (isOne: boolean) => (isOne ? 'It is revoked' : 'They are revoked');

/** When the tokens end, or that they have. */
function endWords(app: LeakedApp, reader: LetterReader): string {
  const ahead = app.tokens.filter(isOpen).map(({ endsAt }) => endsAt);
  const isOne = app.tokens.length === 1;
  if (ahead.length === 0) return `${revoked(isOne)}: this service refuses ${isOne ? 'it' : 'them'} now.`;
  const first = momentWords(
    ahead.reduce((earliest, at) => Math.min(earliest, at)),
    reader,
  );
  // A later report may bring the end forward, and no further mail tells of that.
  if (isOne) return `It is revoked on ${first} at the latest. Whoever has it can use it until it is revoked.`;
  if (ahead.length < app.tokens.length)
    return `Some are revoked already, the others by the times below at the latest.`;
  return new Set(ahead).size === 1
    ? `They are revoked on ${first} at the latest. Whoever has them can use them until they are revoked.`
    : `They are revoked by the times below at the latest, the first by ${first}.`;
}

const nameOf = ({ hintLast }: ToldToken) =>
  hintLast === null ? 'A token whose characters are not known' : `The token that ends with ${hintLast}`;

function tokenLine(token: ToldToken, reader: LetterReader): LetterLine {
  const { places, reportedAt, endsAt, endedAt } = token;
  const found = places.slice(0, PLACES_TOLD).map(({ place }) => plainPlace(place));
  const more = places.length - found.length;
  const rest = more > 0 ? `, and ${letterCountWords(more, 'more place')}` : '';
  const where = found.length > 0 ? `, found at: ${found.join('; ')}${rest}` : '';
  const end =
    endedAt === null
      ? `is revoked on ${localWords(endsAt, reader)} at the latest`
      : `was revoked on ${localWords(endedAt, reader)}`;
  return { text: `${nameOf(token)}: reported on ${localWords(reportedAt, reader)}, ${end}${where}` };
}

const WHOSE: Record<PersonRole, string> = {
  holder: 'With such a token, calls read your account and post to it in the name of this app.',
  owner: 'With such a token, calls read and post for one of its users in the name of your app.',
};

/** The old API is not told of a leak (docs/operate/leaked-tokens.md). */
const STILL_THERE =
  'The old API itself may still take the token from those who reach it past this service. There it ends with the account’s or the app’s own access.';

/** The tokens that are not listed: how many, and when the last of them ends. */
function restLines(rest: readonly ToldToken[], reader: LetterReader): LetterLine[] {
  if (rest.length === 0) return [];
  const last = rest.filter(isOpen).reduce((latest, { endsAt }) => Math.max(latest, endsAt), 0);
  const end = last > 0 ? `, revoked by ${localWords(last, reader)} at the latest` : '';
  return [{ text: `and ${letterCountWords(rest.length, 'more token')}${end}` }];
}

/** The tokens that end next come first, those that have ended last. */
const endOf = (token: ToldToken) => (isOpen(token) ? token.endsAt : Infinity);
const byEnd = (one: ToldToken, other: ToldToken) =>
  endOf(one) === endOf(other) ? 0 : endOf(one) - endOf(other);

interface LeakTelling {
  reader: LetterReader;
  hasOldApi: boolean;
  /** Apps that the mail tells of in full. */
  cards: number;
}

/** What has happened, and what happens next. */
export function leakBlocks(app: LeakedApp, { reader, hasOldApi, cards }: LeakTelling): LetterBlock[] {
  const tokens = app.tokens.toSorted(byEnd);
  const told = Math.floor(TOKENS_TOLD / cards);
  const lines = tokens.slice(0, told).map((token) => tokenLine(token, reader));
  const rest = restLines(tokens.slice(told), reader);
  return [
    { kind: 'status', text: `${tokensWords(app)} of it ${haveLeaked(app)}. ${endWords(app, reader)}` },
    { kind: 'text', text: WHOSE[app.roles.has('holder') ? 'holder' : 'owner'] },
    ...(hasOldApi ? [{ kind: 'text', text: STILL_THERE } as const] : []),
    { kind: 'list', title: 'What was found', lines: [...lines, ...rest] },
  ];
}

const OF_HOLDER = [
  'Look at what was posted from your account lately. If something is not yours, ask for help.',
  'To go on with the app, connect it again from the app, where it still offers that. It gets a new token then.',
];

const OF_OWNER = [
  'Remove the token from that place. That does not make it safe again: whoever saw it has it.',
  'Let the user authorize your app again, and put the new token into your program.',
  'Send tokens in the Authorization header. In an address they end up in logs.',
];

/** What to do, and where: to look at the app, or to end its tokens. */
export function stepBlocks(
  { roles, tokens }: LeakedApp,
  to: { app: string; revoke: string; isProof: boolean },
): LetterBlock[] {
  const steps = [...(roles.has('holder') ? OF_HOLDER : []), ...(roles.has('owner') ? OF_OWNER : [])];
  const isEarly = roles.has('holder') && tokens.some(isOpen);
  const see = { label: 'See the app', href: to.app };
  const now = { label: 'Revoke its tokens now', href: to.revoke };
  return [
    { kind: 'list', title: 'What to do', lines: steps.map((text) => ({ text })) },
    { kind: 'button', isQuiet: false, link: isEarly ? now : see },
    ...(isEarly ? [{ kind: 'button', isQuiet: true, link: see } as const] : []),
    ...(to.isProof ? [SIGN_IN] : []),
  ];
}
