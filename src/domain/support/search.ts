import { findMappings, type MappingRow } from '../../store/tokens/find-mappings.ts';
import {
  accountOfLegacyId,
  type AccountFound,
  accountsWith,
  type AppFound,
  appsWithAddress,
  appWithId,
  type MappingFilter,
  mappingsWith,
} from '../../store/support/support-search.ts';
import { findGrant } from '../../store/grants/grants.ts';
import type { Origin } from '../origin.ts';
import type { SupportDeps } from './deps.ts';
import { subjectsOfRequest } from './request/describe-request.ts';
import { ofMappings, recordEvents } from '../history/record-event.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';
import { harmlessText, type Hint, type Query, readQuery } from './read-query.ts';
import { accountsByName, appsByName } from './search-names.ts';

/**
 * The one search of support, for any text that a caller can give. A whole token is found by its digest, and the history
 * records the look-up. The typed text is stored nowhere.
 */

export type { MappingRow };

/** How many results of each kind are answered at most. */
export const SHOWN_MAX = 100;

/** One more than is answered, which shows whether there are more. */
const LIMIT = SHOWN_MAX + 1;

interface SearchMatches {
  tokens: MappingRow[];
  apps: AppFound[];
  accounts: AccountFound[];
}

export interface SearchResult extends SearchMatches {
  /** For each kind, whether there are more results than the answer holds. */
  isMore: Record<keyof SearchMatches, boolean>;
  query: Query;
  /** The text, if a page may show the text again. */
  shownText: string | undefined;
}

/** The mappings of the whole tokens in a text. */
async function byToken(context: SupportDeps, { tokens }: Query): Promise<MappingRow[]> {
  if (tokens.length === 0) return [];
  const find = async () => {
    const digests = tokens.flatMap((token) => context.vault.digests(token));
    const rows = await findMappings(context.store.durable, { digests }, LIMIT);
    return rows.length > 0 ? rows : undefined;
  };
  return (await underAllKeys(context, find)) ?? [];
}

function marksOfHint({ first, last, isEitherEnd }: Hint): MappingFilter[] {
  const marks = [
    ...(first === undefined ? [] : [{ hint_first: first }]),
    ...(last === undefined ? [] : [{ hint_last: last }]),
  ];
  return isEitherEnd ? marks : [Object.assign({}, ...marks) as MappingFilter];
}

async function tokensBy(context: SupportDeps, marks: readonly MappingFilter[]): Promise<MappingRow[]> {
  const { durable } = context.store;
  const found = await Promise.all(marks.map((mark) => mappingsWith(durable, mark, LIMIT)));
  return found.flat();
}

async function byHint(context: SupportDeps, { hint }: Query): Promise<MappingRow[]> {
  return hint === undefined ? [] : tokensBy(context, marksOfHint(hint));
}

async function byEmail({ store }: SupportDeps, { email }: Query): Promise<SearchMatches> {
  if (email === undefined) return { tokens: [], apps: [], accounts: [] };
  const [tokens, apps, accounts] = await Promise.all([
    mappingsWith(store.durable, { account_email: email }, LIMIT),
    appsWithAddress(store.durable, email, LIMIT),
    accountsWith(store.durable, { email }, LIMIT),
  ]);
  return { tokens, apps, accounts };
}

/** The tokens of a grant. For a grant that another grant has replaced: the tokens of the same app and account. */
async function byGrant({ store }: SupportDeps, id: string): Promise<MappingRow[]> {
  const grant = await findGrant(store.durable, id);
  if (!grant) return [];
  const own = await mappingsWith(store.durable, { grant_id: id }, LIMIT);
  const { client_id, account_id } = grant;
  return own.length > 0 ? own : mappingsWith(store.durable, { client_id, account_id }, LIMIT);
}

const NOTHING: SearchMatches = { tokens: [], apps: [], accounts: [] };

/** Every id that the bridge makes, of a request too. */
const HEX_ID = /^[0-9a-f]{24}$/;

async function byId(context: SupportDeps, id: string): Promise<SearchMatches> {
  const { durable } = context.store;
  const modernId = await accountOfLegacyId(durable, id);
  const [own, waiting, granted, app, accounts, paired, requested] = await Promise.all([
    mappingsWith(durable, { id }, 1),
    mappingsWith(durable, { legacy_account_id: id }, LIMIT),
    byGrant(context, id),
    appWithId(durable, id),
    accountsWith(durable, { id }, 1),
    modernId === undefined ? [] : accountsWith(durable, { id: modernId }, 1),
    HEX_ID.test(id) ? subjectsOfRequest(context, id) : NOTHING,
  ]);
  return {
    tokens: [...own, ...waiting, ...granted, ...requested.tokens],
    apps: [...(app ? [app] : []), ...requested.apps],
    accounts: [...accounts, ...paired, ...requested.accounts],
  };
}

function unique<T>(rows: readonly T[], idOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()];
}

const isEmpty = ({ tokens, apps, accounts }: SearchMatches) =>
  tokens.length + apps.length + accounts.length === 0;

/** The results, and which ids of 24 hex digits in the text are ids of the bridge. */
async function lookUp(
  context: SupportDeps,
  query: Query,
): Promise<SearchMatches & { knownIds: Set<string> }> {
  const [hinted, named, people, addressed, ...byIds] = await Promise.all([
    byHint(context, query),
    query.name === undefined ? [] : appsByName(context, query.name, LIMIT),
    query.name === undefined ? [] : accountsByName(context, query.name, LIMIT),
    byEmail(context, query),
    ...query.ids.map((id) => byId(context, id)),
  ]);
  const all = [...byIds, addressed];
  const isFound = named.length + people.length > 0 || !all.every(isEmpty);
  const byEnds = query.hint?.isGuess && isFound ? [] : hinted;
  const known = query.ids.filter((_, index) => !isEmpty(byIds[index] ?? NOTHING));
  return {
    tokens: unique([...all.flatMap(({ tokens }) => tokens), ...byEnds], ({ id }) => id),
    apps: unique([...all.flatMap(({ apps }) => apps), ...named], ({ client_id }) => client_id),
    accounts: unique([...all.flatMap(({ accounts }) => accounts), ...people], ({ account_id }) => account_id),
    knownIds: new Set(known.filter((id) => HEX_ID.test(id))),
  };
}

async function noteLookUp(context: SupportDeps, rows: readonly MappingRow[], origin: Origin): Promise<void> {
  const at = context.clock.now();
  const changes = rows.flatMap(({ id, client_id: clientId, account_id: accountId }) =>
    ofMappings(
      { at, ...origin, action: 'token_looked_up', reason: 'its whole text was given', clientId, accountId },
      [id],
    ),
  );
  await context.store.transaction((tx) => recordEvents(context, tx, changes));
}

/**
 * The results for a text; undefined where the text is empty. The look-up of a whole token is recorded in the history of
 * the token, with the person who searched.
 * @throws {KeyMissing} the text may be a token whose key is missing on this machine
 */
export async function searchFor(
  context: SupportDeps,
  text: string,
  origin: Origin,
): Promise<SearchResult | undefined> {
  const query = readQuery(text);
  if (!query) return undefined;
  const tokens = await byToken(context, query);
  if (tokens.length > 0) await noteLookUp(context, tokens, origin);
  const found =
    tokens.length > 0 ? { ...NOTHING, tokens, knownIds: new Set<string>() } : await lookUp(context, query);
  const isMore = {
    tokens: found.tokens.length > SHOWN_MAX,
    apps: found.apps.length > SHOWN_MAX,
    accounts: found.accounts.length > SHOWN_MAX,
  };
  return {
    tokens: found.tokens.slice(0, SHOWN_MAX),
    apps: found.apps.slice(0, SHOWN_MAX),
    accounts: found.accounts.slice(0, SHOWN_MAX),
    isMore,
    query,
    shownText: tokens.length > 0 ? undefined : harmlessText(text, found.knownIds),
  };
}
