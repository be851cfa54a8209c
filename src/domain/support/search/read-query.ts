import { linksIn } from './links-in.ts';
import { isMailAddress, normalEmail } from '../../../shared/mail/address.ts';
import { tokensIn as secretsIn } from '../../../shared/log/token-like.ts';

/** The possible meanings of a text that a caller gives to support: pure functions of the text alone. */

/** Four characters of a token: the first four, the last four or both. */
export interface Hint {
  first?: string;
  last?: string;
  /** The text does not say which end of the token it quotes, so one of the two has to match. */
  isEitherEnd?: true;
  /** The text has more than four characters and is more likely something else. */
  isGuess?: true;
}

export interface Query {
  /** Each part of the text that may be a whole token as its app sends the token. */
  tokens: string[];
  /** Whether a part of the text has the length of a whole token. No page may then show any of the text. */
  isLikelyToken: boolean;
  hint: Hint | undefined;
  /** Whether the text may be a part of a token that is too short to be searched. */
  isShortHint: boolean;
  email: string | undefined;
  /** Ids of 24 hex digits in the text, or the whole text as a client id. */
  ids: string[];
  /**
   * The text as a part of a name or of an address. Undefined where the text holds a whole address or a secret.
   */
  name: string | undefined;
  /** The host of an address in the text, or the text as a host. */
  host: string | undefined;
  /** The value of a mailed link that proves an address. */
  proof: string | undefined;
}

/** A longer text is cut: the rest is no search, and each pattern below is tried at every position of the text. */
export const QUERY_MAX = 2000;

const CANDIDATES_MAX = 16;

const NAME_MAX = 120;

/** The characters that mails, chats and shells put around a value. */
const WRAPPING = /[\s"'`<>()[\]{},;]/;

/** The text without the wrapping characters around it. */
function unwrapped(text: string): string {
  const isWrapping = (at: number) => WRAPPING.test(text.charAt(at));
  let [from, to] = [0, text.length];
  while (from < to && isWrapping(from)) from += 1;
  while (to > from && isWrapping(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** Undoes the escaping of addresses and of JSON, however often the text was escaped. */
function unescaped(text: string): string {
  return text
    .replace(/%(?:25)*2F/gi, '/')
    .replace(/%(?:25)*22/gi, '"')
    .replace(/%(?:25)*3D/gi, '=')
    .replace(/%(?:25)*3A/gi, ':')
    .replace(/%(?:25)*(?:20|0A|0D)/gi, ' ')
    .replace(/(?<!\\)\\+(?=[/"'])/g, '');
}

const START_OF_TOKEN = /1\/[\w~-]{5,}/g;

const NAMED_VALUE = /(?:token["'`]?\s*[=:]\s*["'`]?|\b(?:Bearer|OAuth|Basic)\s+)([^\s"'`&,;(){}<>]+)/gi;

/** A token that lost its `1/` on the way. */
const BARE_RUN = /[A-Za-z0-9]{16,}/g;

const LIKELY_TOKEN = /1\/[A-Za-z0-9]{16,}|[A-Za-z0-9_-]{32,}/;

function tokensIn(text: string, clean: string): string[] {
  const runs = text.match(BARE_RUN) ?? [];
  const named = [...text.matchAll(NAMED_VALUE)].map(([, value = '']) => value);
  const all = [
    ...(text.match(START_OF_TOKEN) ?? []),
    ...named,
    clean,
    ...runs.flatMap((run) => [`1/${run}`, run]),
  ];
  return [...new Set(all.filter((one) => one.length >= 5))].slice(0, CANDIDATES_MAX);
}

/**
 * Quoted ends of a token. Of a longer quotation only the outermost four characters count: the bridge keeps no other
 * characters of a token.
 */
const BOTH_ENDS = /^(?:1\/)?([\w~-]{4})[\w~-]{0,11}(?:…|\.{2,}|\*{2,}|•{2,})[\w~-]{0,11}([\w~-]{4})$/;
const START_ALONE = /^1\/([\w~-]{4})[\w~-]{0,11}(?:…|\.{2,})?$/;
const START_WITHOUT = /^([\w~-]{4})[\w~-]{0,11}(?:…|\.{2,})$/;
const END_ALONE = /^(?:…|\.{2,})[\w~-]{0,11}([\w~-]{4})$/;
const EITHER_END = /^[\w~-]{4,15}$/;
const TOO_SHORT = /^(?:1\/|…|\.{2,})?[\w~-]{1,3}(?:…|\.{2,})?$/;

function eitherEnd(run: string): Hint {
  const ends = { first: run.slice(0, 4), last: run.slice(-4), isEitherEnd: true } as const;
  return run.length === 4 ? ends : { ...ends, isGuess: true };
}

function hintIn(clean: string): Hint | undefined {
  const [, first, last] = BOTH_ENDS.exec(clean) ?? [];
  if (first !== undefined && last !== undefined) return { first, last };
  const start = (START_ALONE.exec(clean) ?? START_WITHOUT.exec(clean))?.[1];
  if (start !== undefined) return { first: start };
  const end = END_ALONE.exec(clean)?.[1];
  if (end !== undefined) return { last: end };
  return EITHER_END.test(clean) ? eitherEnd(clean) : undefined;
}

/**
 * The look-behind lets a match begin only where a word begins. Without it, the pattern is tried at every position of a
 * long word.
 */
const EMAIL = /(?<![^\s"'`<>(),;:[\]])[^\s"'`<>(),;:[\]@]{1,64}@[^\s"'`<>(),;:[\]@]{1,255}/;

function emailIn(text: string): string | undefined {
  const found = EMAIL.exec(text)?.[0].replace(/\.$/, '');
  return found !== undefined && isMailAddress(found) ? normalEmail(found) : undefined;
}

const HEX_ID = /(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])/gi;

const ID_MAX = 200;

/** Words of our own addresses, which are no ids. */
const PATH_WORDS: ReadonlySet<string> = new Set([
  'apps',
  'connect',
  'support',
  'mappings',
  'accounts',
  'tokens',
]);

/** Of a long text the first ids count. */
const IDS_MAX = 6;

/** The ids of the bridge have lower case. The client ids of imported apps may have any form without a blank. */
function idsIn(text: string, clean: string, inLinks: readonly string[]): string[] {
  const hex = (text.match(HEX_ID) ?? []).map((id) => id.toLowerCase());
  const whole = clean.length <= ID_MAX && /^\S+$/.test(clean) ? [clean] : [];
  const linked = inLinks.filter((id) => id.length <= ID_MAX && !PATH_WORDS.has(id));
  return [...new Set([...hex, ...whole, ...linked])].slice(0, IDS_MAX);
}

/** Reads a typed or pasted text; undefined where the text is empty. */
export function readQuery(given: string): Query | undefined {
  const text = unescaped(given.slice(0, QUERY_MAX));
  const clean = unwrapped(text);
  if (clean === '') return undefined;
  const [name, email] = [clean.replace(/\s+/g, ' '), emailIn(text)];
  const { ids, host, proof } = linksIn(text, clean);
  const isName = name.length <= NAME_MAX && email === undefined && secretsIn(name).length === 0;
  return {
    tokens: tokensIn(text, clean),
    isLikelyToken: LIKELY_TOKEN.test(text),
    hint: hintIn(clean),
    isShortHint: TOO_SHORT.test(clean),
    email,
    ids: idsIn(text, clean, ids),
    name: isName ? name : undefined,
    host,
    proof,
  };
}

const LONG_RUN = /[A-Za-z0-9_-]{12,}/g;

const ECHO_MAX = 200;

/**
 * The text for the page of results. Undefined where the text is too long or may hold a secret: a run of twelve
 * characters that is neither an id known here nor part of an e-mail address.
 */
export function harmlessText(given: string, knownIds: ReadonlySet<string>): string | undefined {
  const text = given.trim();
  if (text.length > ECHO_MAX || /1(?:\/|%2F|\\)[\w~-]{5,}/i.test(text)) return undefined;
  if (isMailAddress(text)) return /[A-Za-z0-9]{32,}/.test(text) ? undefined : text;
  const runs = text.match(LONG_RUN) ?? [];
  return runs.every((run) => knownIds.has(run.toLowerCase())) ? text : undefined;
}
