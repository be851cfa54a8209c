import { HEX_ID } from '../../../shared/ids.ts';
import type { Context } from '../../../domain/context.ts';
import { requireCursor } from '../../../domain/history/follow-history.ts';
import { findWholeToken } from '../../../domain/support/find-tokens.ts';
import { MOMENT_FORM, readMoment } from '../../../shared/moments.ts';
import { findPositionSince, isAppNamed, isTokenNamed } from '../../../store/history/chain-places.ts';
import { readHead } from '../../../store/history/events.ts';
import type { Event } from '../../../store/tables/tables.ts';
import { printable } from '../dates/moment-option.ts';
import { readTokenLine } from '../tokens/token-line.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** Which entries of the history a command prints: `--since`, `--app` and `--token`. */

/** The options as they were typed. */
export interface HistoryOptions {
  since?: string;
  app?: string;
  token?: string;
}

/** The options as read, before a database is opened. */
interface HistoryRequest {
  since: { position: number } | { at: number } | undefined;
  clientId: string | undefined;
  mappingId: string | undefined;
  /** A whole token, from standard input. */
  token: string | undefined;
}

/** What is printed: entries after a position that match. */
export interface HistorySelection {
  /** Undefined without `--since`. */
  after: number | undefined;
  matches: (event: Event) => boolean;
}

function sinceOf(given: string | undefined): HistoryRequest['since'] {
  if (given === undefined) return undefined;
  if (/^\d{1,15}$/.test(given)) return { position: Number(given) };
  const at = readMoment(given);
  if (at !== undefined) return { at };
  throw new WrongUsage(
    `--since: must be the position of an entry, or a moment, which ${MOMENT_FORM}. Given: ${printable(given)}`,
  );
}

/** The value is not repeated: it may be a whole token. */
function mappingIdOf(given: string | undefined): string | undefined {
  if (given === undefined || given === '-' || HEX_ID.test(given)) return given;
  throw new WrongUsage(
    '--token: must be a mapping id, as tokens find shows it, or - to read a whole token from standard input. A whole token in the arguments now stands in the list of processes, and maybe in the history of your shell',
  );
}

/**
 * Reads the options, and a token from standard input where that was asked for.
 * @throws {WrongUsage}
 */
export async function readHistoryOptions({ since, app, token }: HistoryOptions): Promise<HistoryRequest> {
  const request = { since: sinceOf(since), clientId: app, mappingId: mappingIdOf(token), token: undefined };
  return request.mappingId === '-'
    ? { ...request, mappingId: undefined, token: await readTokenLine() }
    : request;
}

/** A mistyped id would follow nothing for ever, so it is refused. */
async function requireApp({ store }: Context, clientId: string | undefined): Promise<void> {
  if (clientId === undefined || (await isAppNamed(store.durable, clientId))) return;
  throw new Error('--app: no app has this client id. To see the apps: grantbridge apps list');
}

async function mappingsOf(
  context: Context,
  { mappingId, token }: HistoryRequest,
): Promise<string[] | undefined> {
  if (token !== undefined) {
    const { tokens } = await findWholeToken(context, token);
    if (tokens.length === 0) throw new Error('--token: no token was found.');
    return tokens.map(({ row }) => row.id);
  }
  if (mappingId === undefined) return undefined;
  if (await isTokenNamed(context.store.durable, mappingId)) return [mappingId];
  throw new Error('--token: no token has this mapping id. To see mapping ids: grantbridge tokens find');
}

/** The position before the first entry of a moment or later; without such an entry, that of the newest entry. */
async function positionBefore({ store }: Context, at: number): Promise<number> {
  if (at > (await store.now())) throw new WrongUsage('--since: the moment lies in the future');
  const first = await findPositionSince(store.durable, at);
  return first === undefined ? headPosition({ store }) : first - 1;
}

/** The position of the newest chained entry; 0 before the first. */
export async function headPosition({ store }: Pick<Context, 'store'>): Promise<number> {
  return (await readHead(store.durable))?.position ?? 0;
}

async function positionOf(context: Context, since: HistoryRequest['since']): Promise<number | undefined> {
  if (since === undefined) return undefined;
  if ('at' in since) return positionBefore(context, since.at);
  await requireCursor(context.store.durable, { position: since.position, chain: undefined });
  return since.position;
}

/**
 * Finds in the database what the options name.
 * @throws {Error} in plain words where the database knows no such position, app or token
 */
export async function selectHistory(context: Context, request: HistoryRequest): Promise<HistorySelection> {
  const { clientId } = request;
  await requireApp(context, clientId);
  const mappings = await mappingsOf(context, request);
  return {
    after: await positionOf(context, request.since),
    matches: ({ client_id, mapping_id }) =>
      (clientId === undefined || client_id === clientId) &&
      (mappings === undefined || (mapping_id !== null && mappings.includes(mapping_id))),
  };
}
