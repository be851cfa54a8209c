import { normalEmail } from '../../shared/mail/address.ts';
import { type Marks, findMappings, type MappingRow } from '../../store/tokens/find-mappings.ts';
import type { Context } from '../context.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';
import { type Usage, usageOf } from '../usage/usage.ts';

/** Finding a token by anything that its holder can give: never a token itself, but for the one who reads it from a pipe. */

/** A search that cannot be made, in words for the one who asked. */
class SearchRefused extends Error {
  override readonly name = 'SearchRefused';
}

/** What was found: its row, and what it is used for. */
export interface FoundToken {
  row: MappingRow;
  /** Undefined for a token that was never seen here. */
  usage: Usage | undefined;
}

interface Found {
  tokens: FoundToken[];
  /** Whether there are more than are answered. */
  isMore: boolean;
}

/** So many are answered at most. */
export const FOUND_MAX = 100;

/** Calls, carriers and user agents are told of this many days. */
export const DAYS_TOLD = 30;

const HINT = 4;

const START_OF_TOKEN = /^1(?:\/|%2F)/i;

/** With its `1/`, or without: no id of ours is so long. */
const WHOLE_TOKEN = /1(?:\/|%2F)[A-Za-z0-9]{5,}|[A-Za-z0-9]{32,}/i;

function marksOf(query: string): Marks {
  if (query === '') throw new SearchRefused('There is nothing to look for.');
  if (query.includes('@')) return { email: normalEmail(query) };
  if (WHOLE_TOKEN.test(query))
    throw new SearchRefused(
      'This looks like a whole token, which now stands in the list of processes and maybe in the history of your shell. Give it on standard input instead: grantbridge tokens find -',
    );
  const hint = query.replace(START_OF_TOKEN, '');
  if (hint.length === HINT) return { hint, id: query };
  return { id: /^[0-9a-f]{24}$/i.test(query) ? query.toLowerCase() : query };
}

async function answerOf(context: Context, rows: readonly MappingRow[]): Promise<Found> {
  const told = rows.slice(0, FOUND_MAX);
  const ids = told.map(({ id }) => id);
  const usage = await usageOf(context, ids, { days: DAYS_TOLD });
  return {
    tokens: told.map((row) => ({ row, usage: usage.get(row.id) })),
    isMore: rows.length > told.length,
  };
}

const lookFor = ({ store }: Context, marks: Marks) => findMappings(store.durable, marks, FOUND_MAX + 1);

/**
 * Tokens by an e-mail address, a client, account or mapping id, or the first or last four characters of the token.
 * @throws {SearchRefused}
 */
export async function findTokens(context: Context, query: string): Promise<Found> {
  return answerOf(context, await lookFor(context, marksOf(query.trim())));
}

/**
 * The mapping of a whole token, as it came or URL-encoded.
 * @throws {SearchRefused | KeyMissing}
 */
export async function findWholeToken(context: Context, given: string): Promise<Found> {
  const token = given.trim().replace(START_OF_TOKEN, '1/');
  if (token === '') throw new SearchRefused('Standard input held no token.');
  const find = async () => {
    const rows = await lookFor(context, { digests: context.vault.digests(token) });
    return rows.length > 0 ? rows : undefined;
  };
  return answerOf(context, (await underAllKeys(context, find)) ?? []);
}
