import { normalEmail } from '../../shared/mail/address.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { type MatchMarks, findMappings, type MappingRow } from '../../store/tokens/find-mappings.ts';
import { readAccountId } from '../accounts/account-id.ts';
import type { SupportDeps } from './deps.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';
import { type Usage, usageOf } from '../usage/usage.ts';

/** Finds tokens by what their account holder can tell. A whole token is accepted from standard input alone. */

/** A search that cannot be made. The message is for the person who searched. */
class SearchRefused extends Refusal {}

/** A token that was found: its row and its usage. */
export interface TokenSearchRow {
  row: MappingRow;
  /** Undefined for a token that was never used through the bridge. */
  usage: Usage | undefined;
}

interface TokenSearchResult {
  tokens: TokenSearchRow[];
  /** Whether more tokens match than are returned. */
  isMore: boolean;
}

/** The most tokens that a search returns. */
export const FOUND_MAX = 100;

/** Calls, carriers and user agents cover this many days. */
export const DAYS_TOLD = 30;

const HINT = 4;

const START_OF_TOKEN = /^1(?:\/|%2F)/i;

/** A token with its `1/`, or without it. No id of the bridge is so long, but an imported account id may be. */
const WHOLE_TOKEN = /1(?:\/|%2F)[A-Za-z0-9]{5,}|[A-Za-z0-9]{32,}/i;

async function marksOf({ store }: SupportDeps, query: string): Promise<MatchMarks> {
  if (query === '') throw new SearchRefused('There is nothing to look for.');
  if (query.includes('@')) return { email: normalEmail(query) };
  const accountId = await readAccountId(store.durable, query);
  if (accountId === undefined && WHOLE_TOKEN.test(query))
    throw new SearchRefused(
      'This looks like a whole token. The token now stands in the list of processes, and maybe in the history of your shell. Give a whole token on standard input instead: grantbridge tokens find -',
    );
  const hint = query.replace(START_OF_TOKEN, '');
  // The bridge makes ids in lower case; an imported app keeps its own spelling.
  const marks = { ids: [query, query.toLowerCase()], accountId: accountId ?? query };
  return hint.length === HINT ? { ...marks, hint } : marks;
}

async function answerOf(context: SupportDeps, rows: readonly MappingRow[]): Promise<TokenSearchResult> {
  const told = rows.slice(0, FOUND_MAX);
  const ids = told.map(({ id }) => id);
  const usage = await usageOf(context, ids, { days: DAYS_TOLD });
  return {
    tokens: told.map((row) => ({ row, usage: usage.get(row.id) })),
    isMore: rows.length > told.length,
  };
}

const lookFor = ({ store }: SupportDeps, marks: MatchMarks) =>
  findMappings(store.durable, marks, FOUND_MAX + 1);

/**
 * Finds tokens by an e-mail address, by a client, account or mapping id, or by the first or last four characters of the
 * token.
 * @throws {SearchRefused}
 */
export async function findTokens(context: SupportDeps, query: string): Promise<TokenSearchResult> {
  return answerOf(context, await lookFor(context, await marksOf(context, query.trim())));
}

/**
 * Finds the mapping of a whole token, plain or URL-encoded.
 * @throws {SearchRefused | KeyMissing}
 */
export async function findWholeToken(context: SupportDeps, given: string): Promise<TokenSearchResult> {
  const token = given.trim().replace(START_OF_TOKEN, '1/');
  if (token === '') throw new SearchRefused('Standard input held no token.');
  const find = async () => {
    const rows = await lookFor(context, { digests: context.vault.digests(token) });
    return rows.length > 0 ? rows : undefined;
  };
  return answerOf(context, (await underAllKeys(context, find)) ?? []);
}
