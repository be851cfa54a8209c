import { HEX_ID } from '../../../shared/ids.ts';
import type { SearchResult } from '../../../domain/support/search/search.ts';

/** What the search says when it found nothing. The searched text is not shown. */

interface NoResultWords {
  /** The kinds of things for which the text was looked up. */
  understood: string[];
  next: string[];
}

type SearchQuery = SearchResult['query'];

function hintWords(hint: NonNullable<SearchQuery['hint']>): string {
  if (hint.first === undefined) return 'the last four characters of a token';
  if (hint.last === undefined) return 'the first four characters of a token';
  return `the first ${hint.isEitherEnd ? 'or' : 'and'} last four characters of a token`;
}

function understoodOf({ isLikelyToken, hint, email, ids, name }: SearchQuery): string[] {
  const all = [
    isLikelyToken && 'a whole token',
    hint !== undefined && hintWords(hint),
    email !== undefined && 'an e-mail address of an account, a token or an app',
    ids.length > 0 &&
      email === undefined &&
      !isLikelyToken &&
      'an id of an app, an account, a token, a grant or a request',
    name !== undefined &&
      email === undefined &&
      !isLikelyToken &&
      'a part of an app’s name or a callback’s host, as a part of a person’s name or address, and as one that is written nearly so',
  ];
  return all.filter((words): words is string => typeof words === 'string');
}

const TOKEN_NEXT = [
  'Ask whether all of it was copied: a token begins with 1/ and most have 34 characters.',
  'It may never have been used here. A token of the old API is taken over by its import, or at its first call while the old API runs; ask the caller to make one call and search again.',
  'Ask for the app’s name or the e-mail address of the account, and search for that.',
];

const HINT_NEXT = [
  'Tokens that were imported as digests have no known characters until their first call. Search for the app or the e-mail address instead.',
  'In the characters of a token upper and lower case count: ask the caller to read them out once more.',
];

const TOO_SHORT =
  'To find a token, give at least four of its first or last characters, or all of it: fewer are not looked for.';

const EMAIL_NEXT = [
  'The account may have another address at the new API than the caller thinks. Ask for the app’s name, its client id, or a token.',
  'An account is known here from its first sign-in, connection or import on.',
];

const OTHER_NEXT = [
  'Check the spelling, or search for a shorter part of the name.',
  'Ask for a token, its first four characters, or the e-mail address of the account.',
];

const REQUEST_NEXT =
  'If it is the id of a request: a request that changed nothing, such as a refused call, is in the log alone. Its line “request” names the token.';

/** The kinds of ids and names for which a text was looked up, and the next thing to try. */
export function nothingFoundWords(query: SearchQuery): NoResultWords {
  const understood = understoodOf(query);
  if (query.isLikelyToken) return { understood, next: TOKEN_NEXT };
  if (query.email !== undefined) return { understood, next: EMAIL_NEXT };
  if (query.ids.some((id) => HEX_ID.test(id))) return { understood, next: [REQUEST_NEXT, ...OTHER_NEXT] };
  if (query.hint !== undefined) return { understood, next: [...HINT_NEXT, ...OTHER_NEXT.slice(1)] };
  return { understood, next: query.isShortHint ? [TOO_SHORT, ...OTHER_NEXT] : OTHER_NEXT };
}
