import { isMailAddress, normalEmail } from '../../shared/mail/address.ts';
import { tokensIn as secretsIn } from '../../shared/log/token-like.ts';

/** What a caller's text may be: pure functions of the text alone. */

/** Four characters of a token: its first, its last or both. */
export interface Hint {
  first?: string;
  last?: string;
  /** Where nobody said which end of the token it is, so that one of the two has to be right. */
  isEitherEnd?: true;
  /** Where the text has more characters, and is more likely something else. */
  isGuess?: true;
}

export interface Query {
  /** Each text that may be a whole token as its app sends it. */
  tokens: string[];
  /** Whether one of them has the length of a whole token, so that nothing of the text is for a page. */
  isLikelyToken: boolean;
  hint: Hint | undefined;
  /** Whether it may be a part of a token that is too short to be looked for. */
  isShortHint: boolean;
  email: string | undefined;
  /** Ids of 24 hex digits in the text, or the whole text as a client id. */
  ids: string[];
  /** As a part of an app's name or the beginning of a person's, which holds neither an address nor a secret. */
  name: string | undefined;
}

/** More of it is no search, and each pattern here is tried at every place of it. */
export const QUERY_MAX = 2000;

const CANDIDATES_MAX = 16;

const NAME_MAX = 120;

/** What mails, chats and shells put around a value. */
const WRAPPING = /[\s"'`<>()[\]{},;]/;

/** Without what stands around it. */
function unwrapped(text: string): string {
  const isWrapping = (at: number) => WRAPPING.test(text.charAt(at));
  let [from, to] = [0, text.length];
  while (from < to && isWrapping(from)) from += 1;
  while (to > from && isWrapping(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** However often the text was put into an address, or into JSON, again. */
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

/** Of more than four characters the four at the end of the token count, which is all that is kept of it. */
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

/** From where a word begins; each place of a long one would be tried else. */
const EMAIL = /(?<![^\s"'`<>(),;:[\]])[^\s"'`<>(),;:[\]@]{1,64}@[^\s"'`<>(),;:[\]@]{1,255}/;

function emailIn(text: string): string | undefined {
  const found = EMAIL.exec(text)?.[0].replace(/\.$/, '');
  return found !== undefined && isMailAddress(found) ? normalEmail(found) : undefined;
}

const HEX_ID = /(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])/gi;

const ID_MAX = 200;

/** Ids of ours are written in lower case; those of imported apps may have any form, but no blank. */
function idsIn(text: string, clean: string): string[] {
  const hex = (text.match(HEX_ID) ?? []).map((id) => id.toLowerCase());
  const whole = clean.length <= ID_MAX && /^\S+$/.test(clean) ? [clean] : [];
  return [...new Set([...hex, ...whole])].slice(0, 4);
}

/** Reads what was typed or pasted; undefined where there is nothing in it. */
export function readQuery(given: string): Query | undefined {
  const text = unescaped(given.slice(0, QUERY_MAX));
  const clean = unwrapped(text);
  if (clean === '') return undefined;
  const [name, email] = [clean.replace(/\s+/g, ' '), emailIn(text)];
  const isName = name.length <= NAME_MAX && email === undefined && secretsIn(name).length === 0;
  return {
    tokens: tokensIn(text, clean),
    isLikelyToken: LIKELY_TOKEN.test(text),
    hint: hintIn(clean),
    isShortHint: TOO_SHORT.test(clean),
    email,
    ids: idsIn(text, clean),
    name: isName ? name : undefined,
  };
}

const LONG_RUN = /[A-Za-z0-9_-]{12,}/g;

const ECHO_MAX = 200;

/**
 * The text once more, for the page that answers it, or undefined where it may hold a secret: a run of twelve characters
 * that is no id known here and in no e-mail address.
 */
export function harmlessText(given: string, knownIds: ReadonlySet<string>): string | undefined {
  const text = given.trim();
  if (text.length > ECHO_MAX || /1(?:\/|%2F|\\)[\w~-]{5,}/i.test(text)) return undefined;
  if (isMailAddress(text)) return /[A-Za-z0-9]{32,}/.test(text) ? undefined : text;
  const runs = text.match(LONG_RUN) ?? [];
  return runs.every((run) => knownIds.has(run.toLowerCase())) ? text : undefined;
}
