import { HEX_ID } from '../../../shared/ids.ts';
import { findMappings, type MappingRow } from '../../../store/tokens/find-mappings.ts';
import {
  accountOfLegacyId,
  accountsWith,
  appsWithAddress,
  appWithId,
  type MappingFilter,
  mappingsWith,
} from '../../../store/support/support-search.ts';
import { findGrant } from '../../../store/grants/grants.ts';
import type { Origin } from '../../origin.ts';
import type { SupportDeps } from '../deps.ts';
import { subjectsOfRequest } from '../request/describe-request.ts';
import { ofMappings, recordEvents } from '../../history/record-event.ts';
import { underAllKeys } from '../../keys/retry-after-key-rotation.ts';
import { byLink, byProof } from './by-link.ts';
import { byWords, nearlyAlike, type WordMatches } from './by-words.ts';
import { harmlessText, type Hint, type Query, readQuery } from './read-query.ts';
import { isEmpty, LIMIT, NOTHING, type SearchMatches, SHOWN_MAX } from './search-matches.ts';

/**
 * The one search of support, for any text that a caller can give. A whole token is found by its digest, and the history
 * records the look-up. The typed text is stored nowhere.
 */

export type { MappingRow };

export interface SearchResult extends SearchMatches {
  /** For each kind, whether there are more results than the answer holds. */
  isMore: Record<keyof SearchMatches, boolean>;
  query: Query;
  /** Whether nothing is written so, and the answer holds what is written nearly so. */
  isNear: boolean;
  /** Whether something that matches may be missing, because not all was looked at. */
  isCut: boolean;
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

async function byId(context: SupportDeps, id: string): Promise<SearchMatches> {
  const { durable } = context.store;
  const modernId = await accountOfLegacyId(durable, id);
  const [own, waiting, granted, app, accounts, paired, requested, linked] = await Promise.all([
    mappingsWith(durable, { id }, 1),
    mappingsWith(durable, { legacy_account_id: id }, LIMIT),
    byGrant(context, id),
    appWithId(durable, id),
    accountsWith(durable, { id }, 1),
    modernId === undefined ? [] : accountsWith(durable, { id: modernId }, 1),
    HEX_ID.test(id) ? subjectsOfRequest(context, id) : NOTHING,
    HEX_ID.test(id) ? byLink(context, id) : NOTHING,
  ]);
  return {
    tokens: [...own, ...waiting, ...granted, ...requested.tokens, ...linked.tokens],
    apps: [...(app ? [app] : []), ...requested.apps],
    accounts: [...accounts, ...paired, ...requested.accounts, ...linked.accounts],
  };
}

function unique<T>(rows: readonly T[], idOf: (row: T) => string): T[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()];
}

interface LookUp extends WordMatches {
  /** Which ids of 24 hex digits in the text are ids of the bridge. */
  knownIds: Set<string>;
}

/**
 * Newest first, like each of the lists of which an answer is made: each was cut to its newest. Before them a token that the
 * text names by its own id.
 */
function newestFirst(rows: readonly MappingRow[], ids: readonly string[]): MappingRow[] {
  const isNamed = ({ id }: MappingRow) => Number(ids.includes(id));
  return rows.toSorted((one, other) => isNamed(other) - isNamed(one) || other.created_at - one.created_at);
}

/** All results once each. The characters of a token count only where nothing else was found, if they are a guess. */
function joined(
  found: readonly SearchMatches[],
  hinted: readonly MappingRow[],
  { hint, ids }: Query,
): SearchMatches {
  const byEnds = hint?.isGuess === true && !found.every(isEmpty) ? [] : hinted;
  const tokens = unique([...found.flatMap((one) => one.tokens), ...byEnds], ({ id }) => id);
  return {
    tokens: newestFirst(tokens, ids),
    apps: unique(
      found.flatMap(({ apps }) => apps),
      ({ client_id }) => client_id,
    ),
    accounts: unique(
      found.flatMap(({ accounts }) => accounts),
      ({ account_id }) => account_id,
    ),
  };
}

async function lookUp(context: SupportDeps, query: Query): Promise<LookUp> {
  const [hinted, worded, addressed, proven, ...byIds] = await Promise.all([
    byHint(context, query),
    byWords(context, query),
    byEmail(context, query),
    byProof(context, query),
    ...query.ids.map((id) => byId(context, id)),
  ]);
  const all = joined([...byIds, addressed, proven, worded], hinted, query);
  const known = query.ids.filter((_, index) => !isEmpty(byIds[index] ?? NOTHING));
  const knownIds = new Set(known.filter((id) => HEX_ID.test(id)));
  if (!isEmpty(all)) return { ...all, isCut: worded.isCut, knownIds };
  const near = await nearlyAlike(context, query);
  return { ...near, isCut: worded.isCut || near.isCut, knownIds };
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
    tokens.length > 0
      ? { ...NOTHING, tokens, isCut: false, knownIds: new Set<string>() }
      : await lookUp(context, query);
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
    isNear: found.isNear ?? false,
    isCut: found.isCut,
    query,
    shownText: tokens.length > 0 ? undefined : harmlessText(text, found.knownIds),
  };
}
