import { findHandover } from '../../store/grants/handovers.ts';
import { readReminderAccount } from '../../store/reminders/reminder-people.ts';
import {
  findLinkState,
  findShownGrant,
  listGrantsOf,
  type ReminderMail,
  type ShownGrant,
} from '../../store/support/support-pair.ts';
import { appWithId, type AppFound, mappingsWith } from '../../store/support/support-search.ts';
import type { MappingRow } from '../../store/tokens/find-mappings.ts';
import { type Leak, readLeaks } from '../../store/leaks/leaked-tokens.ts';
import type { PostWriteRow } from '../../store/tables/posts.ts';
import { listWritesOf, type TokenWrites } from '../../store/posts/write-journal.ts';
import { type DayCalls, sumDays } from '../../store/usage/call-sums.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import { knownCallDays } from '../usage/callers.ts';
import { type CallSummary, callsOf } from '../usage/calls-of.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { isKnownClient } from '../grants/modern-client.ts';
import type { SupportDeps } from './deps.ts';
import { settlerNames } from './timeline.ts';
import { mailsOfToken } from './mails-of-token.ts';
import { restsUntil } from '../grants/refresh/refresh-policy.ts';

/** The page of support about one token. */

export type { Leak, PostWriteRow, TokenWrites as WritesFound, ReminderMail, ShownGrant };

/** How many of the newest writes are listed, and how many of the writes without an outcome. */
export const WRITES_TOLD = 50;

/** For how many days calls are listed. */
export const MAPPING_CALL_DAYS = 30;

export interface MappingDescription {
  mapping: MappingRow;
  app: AppFound;
  /** The app that the calls of the token name. */
  claimed: AppFound | undefined;
  account: Awaited<ReturnType<typeof readReminderAccount>>;
  pair: AppAccount | undefined;
  /** The grant of the mapping. Without one: the live or else the last grant of the app and account. */
  grant: ShownGrant | undefined;
  /** Whether the grant is the one of the mapping, and not only one of its app and account. */
  isOwnGrant: boolean;
  /** Whether the client of the grant is the bridge's or an app's own; true without a grant. */
  isClientKnown: boolean;
  /** Of a moved token the hand-over that moved it; of another one the newest of its app and account. */
  handover: Awaited<ReturnType<typeof findHandover>>;
  link: Awaited<ReturnType<typeof findLinkState>>;
  /** What was reported, where the token was found in a place that others can read. */
  leak: Leak | undefined;
  mails: ReminderMail[];
  /** The names of those who settled mails, by account id (`actorNames`). */
  settlers: ReadonlyMap<string, string>;
  writes: TokenWrites;
  calls: { days: string[]; perDay: DayCalls[]; counted: CountedDays } & CallSummary;
}

function pairOf({ client_id: clientId, account_id: accountId }: MappingRow): AppAccount | undefined {
  return accountId === null ? undefined : { clientId, accountId };
}

async function grantOf({ store }: SupportDeps, { grant_id: id }: MappingRow, pair: AppAccount | undefined) {
  const { durable } = store;
  if (id !== null) return findShownGrant(durable, id);
  if (!pair) return undefined;
  const all = await listGrantsOf(durable, pair, 20);
  return all.find(({ state }) => state !== 'dead') ?? all[0];
}

/** A token that moved has no other hand-over than its own, as at the exchange. */
function handoverOf(
  { store }: SupportDeps,
  { state, grant_id: grantId }: MappingRow,
  pair: AppAccount | undefined,
) {
  return pair && findHandover(store.durable, pair, state === 'migrated' ? grantId : null);
}

async function callsOfMapping(context: SupportDeps, id: string): Promise<MappingDescription['calls']> {
  const days = lastDays(context, MAPPING_CALL_DAYS);
  const [perDay, calls] = await Promise.all([
    sumDays(context.store, { ids: [id] }, days[0] ?? ''),
    callsOf(context, [id], { days: MAPPING_CALL_DAYS }),
  ]);
  const within = await knownCallDays(context, [id]);
  return { days, perDay, ...calls, counted: within(MAPPING_CALL_DAYS) };
}

/**
 * The moment before which the bridge does not try a grant again that rests, is presenting or is in doubt. Undefined for
 * a dead grant, and for a ready grant that does not rest.
 */
export function nextAttemptAt(context: SupportDeps, grant: ShownGrant): number | undefined {
  const now = context.clock.now();
  if (grant.state === 'dead') return undefined;
  const rest = restsUntil(grant, now);
  if (grant.state === 'ready') return rest > 0 ? rest : undefined;
  const quiet = (grant.presented_at ?? 0) + context.settings.inDoubtQuiet;
  return Math.max(grant.access_expires_at, quiet, rest);
}

/** A token by the id of its mapping, in whatever state; undefined where there is no mapping. */
export async function describeMapping(
  context: SupportDeps,
  id: string,
): Promise<MappingDescription | undefined> {
  const { durable } = context.store;
  const [mapping] = await mappingsWith(durable, { id }, 1);
  const app = mapping && (await appWithId(durable, mapping.client_id));
  if (!mapping || !app) return undefined;
  const pair = pairOf(mapping);
  const claimedId = mapping.claimed_client_id;
  const claimed = claimedId === null ? undefined : await appWithId(durable, claimedId);
  const [account, grant, handover, link, leaks, mails, writes, calls] = await Promise.all([
    pair ? readReminderAccount(durable, pair.accountId) : undefined,
    grantOf(context, mapping, pair),
    handoverOf(context, mapping, pair),
    pair ? findLinkState(durable, pair) : undefined,
    readLeaks(durable, [id]),
    mailsOfToken(context, mapping),
    listWritesOf(durable, id, WRITES_TOLD),
    callsOfMapping(context, id),
  ]);
  const [leak, isOwnGrant] = [leaks.get(id), mapping.grant_id !== null];
  const settlers = await settlerNames(context, mails);
  const isClientKnown = grant === undefined || (await isKnownClient(context, grant.modern_client_id));
  const people = { account, pair, handover, link, leak, mails, settlers };
  return { mapping, app, claimed, grant, isOwnGrant, isClientKnown, ...people, writes, calls };
}
