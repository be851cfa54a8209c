import type { Soon } from '../../shared/and-then.ts';
import {
  type AnswerVersion,
  findToldList,
  keepToldList,
  type NamedList,
  type ToldListCall,
} from '../../store/posts/told-lists.ts';
import { withoutCacheFaults } from '../grants/refresh/answer-cache.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import { type CallerChannel, KNOWN_FOR } from './caller-channel.ts';
import type { PostsDeps } from './deps.ts';
import { isFreshText, LONGEST_KEPT, TEXT_FORM } from './fresh-text.ts';
import type { ListName } from './lists/lists.ts';
import { dayIn } from '../translation/old-times.ts';

/**
 * The text of the first page of a list, kept from one call to the next as the text of `profiles.json` is. The text depends on
 * the app (an app is told the first id for ever), on the answer about the account, on the answer about the list, and on
 * the day: posts are due `Today` or `Tomorrow`.
 */

/** A call for the first page of a whole list. */
export interface FirstPageCall {
  list: ListName;
  /** The profile id that the caller gave. */
  id: string;
  count: number;
  isUtc: boolean;
}

/** The list, and the profile id that the caller gave. */
type NamedByCall = Pick<FirstPageCall, 'list' | 'id'>;

const named = ({ list, id }: NamedByCall): NamedList => `${list} ${id}`;

const keyOf = (clientId: string, { count, isUtc }: FirstPageCall) =>
  `${TEXT_FORM} ${clientId} ${count} ${isUtc}`;

/** The connected token of a call, with a text of the list. Looks under the active digest key alone. */
export function toldListOf(
  { store, vault }: PostsDeps,
  token: string,
  call: NamedByCall,
): Soon<ToldListCall | undefined> {
  return findToldList(store, vault.digest(token), named(call));
}

/** Whether the kept text, for whatever parameters, holds at this moment. */
function isCurrent(context: PostsDeps, told: ToldListCall): boolean {
  const { modern_client_id: modernClientId, fetched_at: fetchedAt } = told;
  if (fetchedAt === null || modernClientId === null) return false;
  const now = context.clock.now();
  const isOfToday = now >= Number(told.valid_from) && now < Number(told.valid_until);
  return isOfToday && isFreshText(context, { modernClientId, fetchedAt });
}

interface ToldList {
  /** The kept text for the call; undefined where the text has to be made anew. */
  text: string | undefined;
  /**
   * Whether a text that is made for the call is to be kept. A text for other parameters keeps its place: an app that
   * asks in turn for more and for fewer posts would make the bridge write at each call.
   */
  isKept: boolean;
}

/** What is kept for a call. */
export function toldList(context: PostsDeps, told: ToldListCall, call: FirstPageCall): ToldList {
  if (told.text === null || !isCurrent(context, told)) return { text: undefined, isKept: true };
  const isOfCall = told.key === keyOf(told.client_id, call);
  return { text: isOfCall ? told.text : undefined, isKept: false };
}

interface MadeList {
  call: FirstPageCall;
  text: string;
  found: CallerChannel;
  /** The list, as it is named among the kept answers of the grant. */
  list: { name: string };
  /** Without a version, no text is kept: a page that was read just now, or the last known one. */
  answer: { fetchedAt: number; version?: AnswerVersion | undefined };
  /** When the text was made, and for which time zone. */
  view: { now: number; zone: string };
}

/** Keeps a text for the next calls, where they may be answered with it. No caller waits for this. */
export function keepList(
  context: PostsDeps,
  mapping: Pick<ServedMapping, 'client_id' | 'grant_id' | 'modern_client_id'>,
  { call, text, found: { reading }, list: { name: what }, answer, view }: MadeList,
): void {
  const { client_id: clientId, grant_id: grantId, modern_client_id: modernClientId } = mapping;
  const { fetchedAt, version } = answer;
  if (!version || text.length > LONGEST_KEPT) return;
  const day = dayIn(view.zone, view.now);
  const told = {
    list: named(call),
    answer: { grantId, what, ...version },
    accountAt: reading.fetchedAt,
    modernClientId,
    fetchedAt,
    validFrom: day.begins,
    validUntil: Math.min(day.ends, reading.fetchedAt + KNOWN_FOR),
    key: keyOf(clientId, call),
    text,
  };
  const keep = () => withoutCacheFaults(context, grantId, () => keepToldList(context.store, told));
  void context.flights.run(`keep list ${grantId} ${told.list}`, keep);
}
