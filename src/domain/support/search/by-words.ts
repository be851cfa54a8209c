import { accountsOf, mappingsUnder } from '../../../store/support/support-search.ts';
import type { SupportDeps } from '../deps.ts';
import type { Query } from './read-query.ts';
import { isEmpty, LIMIT, NOTHING, type SearchMatches } from './search-matches.ts';
import { accountsByName, appsByName, type AppsFound, appsNearly } from './search-names.ts';
import { peopleByPart, type PeopleFound, peopleNearly } from '../../people/find-people.ts';

/** What is found by words: names, addresses, hosts of callbacks, and parts of them. */

export interface WordMatches extends SearchMatches {
  isNear?: boolean;
  isCut: boolean;
}

const NO_APPS: AppsFound = { apps: [], isCut: false };
const NO_PEOPLE: PeopleFound = { people: [], isCut: false };

const idsOf = ({ people }: PeopleFound, kind: 'account:' | 'email:') =>
  people.flatMap(({ person }) => (person.startsWith(kind) ? person.slice(kind.length) : [])).slice(0, LIMIT);

/** The accounts of people, and the tokens of those who are known by an address alone. */
async function rowsOf({ store }: SupportDeps, people: PeopleFound) {
  const [ids, addresses] = [idsOf(people, 'account:'), idsOf(people, 'email:')];
  const [accounts, tokens] = await Promise.all([
    ids.length === 0 ? [] : accountsOf(store.durable, ids),
    addresses.length === 0 ? [] : mappingsUnder(store.durable, addresses, LIMIT),
  ]);
  return { accounts, tokens };
}

/** Names, and parts of names, addresses and hosts. Names that begin with the text come first. */
export async function byWords(context: SupportDeps, { name, host }: Query): Promise<WordMatches> {
  const text = host ?? name;
  if (text === undefined) return { ...NOTHING, isCut: false };
  const [apps, beginning, people] = await Promise.all([
    appsByName(context, text, LIMIT),
    name === undefined ? [] : accountsByName(context, name, LIMIT),
    name === undefined ? NO_PEOPLE : peopleByPart(context, name),
  ]);
  const rows = await rowsOf(context, people);
  return {
    apps: apps.apps,
    tokens: rows.tokens,
    accounts: [...beginning, ...rows.accounts],
    isCut: apps.isCut || people.isCut,
  };
}

/** What is written nearly as the text, where nothing is written so. A whole token is never guessed. */
export async function nearlyAlike(
  context: SupportDeps,
  { name, host, email, isLikelyToken }: Query,
): Promise<WordMatches> {
  const text = email ?? host ?? name;
  if (text === undefined || isLikelyToken) return { ...NOTHING, isCut: false };
  const [apps, people] = await Promise.all([
    email === undefined ? appsNearly(context, text, LIMIT) : NO_APPS,
    host === undefined ? peopleNearly(context, text) : NO_PEOPLE,
  ]);
  const found = { apps: apps.apps, ...(await rowsOf(context, people)) };
  return { ...found, isNear: !isEmpty(found), isCut: apps.isCut || people.isCut };
}
