import { chunksOf } from '../../shared/chunks-of.ts';
import { type ListedToken, listedBy, listedOfAccounts } from '../../store/tokens/token-keys.ts';
import { folded } from '../people/near-words.ts';
import { type PeopleFound, peopleByPart } from '../people/find-people.ts';
import type { PeopleDeps } from '../people/deps.ts';
import { LISTED_MAX, pageOfListed, type TokenKeyPage, type TokenListQuery } from './token-list.ts';
import type { TokensDeps } from './deps.ts';

/** Finds tokens of an app by their first or last four characters, or by a part of the name of their holder. */

type FindDeps = TokensDeps & PeopleDeps;

interface TokenFind {
  clientId: string;
  /** The text of the search. */
  find: string;
  /**
   * Whether addresses are searched too. Only staff may: an owner who could search them would learn who of them uses the
   * app.
   */
  withAddresses: boolean;
}

/** Characters as our pages show them, or four alone. */
const BOTH = /^1\/([\w~-]{4})…([\w~-]{4})$/;
const FOUR = /^(?:1\/|…)?([\w~-]{4})$/;

/** One more than a list has, so that a list that was cut says so. */
const MOST = LISTED_MAX + 1;

async function byCharacters({ store }: FindDeps, { clientId, find }: TokenFind): Promise<ListedToken[]> {
  const [, first, last] = BOTH.exec(find) ?? [];
  const four = FOUR.exec(find)?.[1];
  if (first === undefined && four === undefined) return [];
  const [start, end] = [first ?? four ?? '', last ?? four ?? ''];
  const [starting, ending] = await Promise.all([
    listedBy(store.durable, { clientId, hint_first: start }, MOST),
    listedBy(store.durable, { clientId, hint_last: end }, MOST),
  ]);
  if (first === undefined) return [...starting, ...ending];
  const ends = new Set(ending.map(({ id }) => id));
  return starting.filter(({ id }) => ends.has(id));
}

/** The words that an owner may search: a name, unless it is an address. */
const nameIn = (words: string) =>
  words
    .split(' ')
    .filter((word) => !word.includes('@'))
    .join(' ');

function mayBeFound({ people }: PeopleFound, { find, withAddresses }: TokenFind): PeopleFound['people'] {
  if (withAddresses) return people;
  const isName = (words: string) => folded(nameIn(words)).includes(folded(find));
  return people.filter(({ person, words }) => person.startsWith('account:') && isName(words));
}

const without = (prefix: string, people: PeopleFound['people']) =>
  people.flatMap(({ person }) => (person.startsWith(prefix) ? person.slice(prefix.length) : []));

/** Accounts that one statement names. */
const AT_ONCE = 500;

async function byHolder(context: FindDeps, asked: TokenFind) {
  const found = await peopleByPart(context, asked.find);
  const people = mayBeFound(found, asked);
  const { durable } = context.store;
  const tokens: ListedToken[] = [];
  for (const accountIds of chunksOf(without('account:', people), AT_ONCE))
    tokens.push(...(await listedOfAccounts(durable, { accountIds, clientId: asked.clientId }, MOST)));
  for (const addresses of chunksOf(without('email:', people), AT_ONCE))
    tokens.push(...(await listedBy(durable, { clientId: asked.clientId, addresses }, MOST)));
  return { tokens, isCut: found.isCut };
}

/** One page of the tokens of an app that a text finds. */
export async function findTokensOfApp(
  context: FindDeps,
  asked: TokenFind,
  query: TokenListQuery,
): Promise<TokenKeyPage> {
  const [characters, holders] = await Promise.all([byCharacters(context, asked), byHolder(context, asked)]);
  return pageOfListed([...characters, ...holders.tokens], query, holders.isCut);
}
