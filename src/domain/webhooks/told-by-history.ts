import { groupBy } from '../../shared/group-by.ts';
import { isoMoment } from '../../shared/moments.ts';
import type { ChainedEntry } from '../history/locate-tampering.ts';
import { NEWER_CONSENT } from '../history/reason.ts';
import { isEndCause } from '../tokens/standing/ends.ts';
import { dateFor, type Lifecycle } from '../lifecycle/lifecycle.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import type { WebhookMessage } from './message.ts';
import {
  appThatLeft,
  appThatLost,
  ASSIGNED,
  entryOfDeed,
  hasComeBack,
  TAKEN_BACK,
  type TokensOfDeeds,
  withoutEntry,
  worksOn,
} from './taken-back.ts';

/** Pure: which messages follow from entries of the history. */

/** A token as it is now: the first and last characters, or null, and the app. */
interface TokenNow {
  first: string | null;
  last: string | null;
  clientId: string;
  state: MappingState;
}

/** Tokens by mapping id. */
type NamedTokens = ReadonlyMap<string, TokenNow>;

interface Facts {
  tokens: NamedTokens;
  /** What was assigned, and what was taken back, by the entry of the deed. */
  ofDeeds: TokensOfDeeds;
  /** The dates as they are now, of all apps and of single ones. */
  lifecycle: Lifecycle;
}

/** A token stopped working, with its connection or alone. */
const STOPPED: ReadonlyMap<string, string> = new Map([
  ['token_reauthorization_required', 'connection_ended'],
  ['token_revoked', 'revoked'],
]);

/** A token serves again, or stands again as before. */
const RESUMED: ReadonlyMap<string, string> = new Map([
  ['token_connected', 'connected'],
  [ASSIGNED, 'connected'],
  [TAKEN_BACK, 'taken_back'],
]);

/** How a token stands that resumed. One that stopped, or ended, did not resume: that is told by its own entry. */
const STANDS: Partial<Record<MappingState, string>> = { active: 'connected', unmapped: 'waiting' };

/** The entry of a report names the token alone. */
const LEAKED = 'token_leaked';

const ENDED: ReadonlySet<string> = new Set(['grant_died', 'deauthorized']);

const DATES: ReadonlySet<string> = new Set([
  'date_set',
  'app_extended',
  'extension_ended',
  'extension_taken_back',
]);

/** The most tokens that one message names. `count` says how many there are. */
const TOKENS_NAMED = 100;

/** A token that worked before a newer consent works as before: nothing to tell, however often a person consents. */
const isTurn = ({ action, reason }: ChainedEntry): boolean =>
  STOPPED.has(action) || (RESUMED.has(action) && !(action === 'token_connected' && reason === NEWER_CONSENT));

/** Whether an entry says that a token stopped or resumed. */
export const namesTurn = (entry: ChainedEntry): boolean =>
  entry.mapping_id !== null && entry.client_id !== null && isTurn(entry);

/** Whether the message of an entry needs to know its token. */
export const namesToken = (entry: ChainedEntry): boolean => namesTurn(entry) || entry.action === LEAKED;

/** The entry of a date names it first. A message tells of retirement and sunset; the deprecation is in none. */
const isOfDeprecation = (reason: string | null): boolean => reason?.startsWith('deprecation: ') ?? false;

/** Whether the message of an entry needs the dates. */
export const namesDates = ({ action, reason }: ChainedEntry): boolean =>
  DATES.has(action) && !(action === 'date_set' && isOfDeprecation(reason));

/** A reason in one word of ours. What a person wrote as the reason stays inside, even one word. */
const causeOf = (reason: string | null): string | null =>
  reason !== null && isEndCause(reason) ? reason : null;

/** How many tokens these are, and the first of them. */
function namedIn(entries: readonly ChainedEntry[], { tokens }: Facts) {
  const named = entries.slice(0, TOKENS_NAMED).map(({ mapping_id: id }) => {
    const { first: begins = null, last: ends = null } = tokens.get(id ?? '') ?? {};
    return { id, begins, ends };
  });
  return { count: entries.length, tokens: named };
}

/** One message of tokens of one app. */
function toldOwner(
  event: 'token.stopped' | 'token.resumed',
  { position, at, client_id: clientId }: ChainedEntry,
  data: object,
): WebhookMessage {
  const told = `${event.slice('token.'.length)}:${position}`;
  return { event, told, at, clientId, dataFor: () => ({ client_id: clientId, ...data }) };
}

function stopped(entries: readonly ChainedEntry[], facts: Facts): WebhookMessage[] {
  const [first] = entries;
  if (!first || !STOPPED.has(first.action)) return [];
  const why = STOPPED.get(first.action);
  return [
    toldOwner('token.stopped', first, { why, cause: causeOf(first.reason), ...namedIn(entries, facts) }),
  ];
}

const deedOf = (entry: ChainedEntry, { ofDeeds }: Facts) => ofDeeds.get(entryOfDeed(entry) ?? 0);

/** By what tokens stop for an app that the entry does not name, and that app. */
const LOSSES: ReadonlyArray<{ action: string; why: string; app: typeof appThatLost }> = [
  { action: ASSIGNED, why: 'assigned', app: appThatLeft },
  // They worked only by what was taken back.
  { action: TAKEN_BACK, why: 'taken_back', app: appThatLost },
];

/** Tokens that stop for the app that they worked for, because another one has them, or none. */
function stoppedElsewhere(entries: readonly ChainedEntry[], facts: Facts): WebhookMessage[] {
  const loss = LOSSES.find(({ action }) => action === entries[0]?.action);
  const lost = entries.flatMap((entry) => {
    const clientId = loss?.app(deedOf(entry, facts));
    return clientId === undefined ? [] : [{ ...entry, client_id: clientId }];
  });
  return [...groupBy(lost, ({ client_id: clientId }) => clientId).values()].flatMap((some) => {
    const [first] = some;
    const data = { why: loss?.why, cause: null, ...namedIn(some, facts) };
    return first ? [toldOwner('token.stopped', first, data)] : [];
  });
}

/** Whether the app of the entry has the token as a working one only since the entry, or as before what was taken back. */
function isNews(entry: ChainedEntry, state: MappingState, facts: Facts): boolean {
  const deed = deedOf(entry, facts);
  if (entry.action === ASSIGNED) return deed !== undefined && worksOn(deed);
  if (entry.action === TAKEN_BACK) return deed ? hasComeBack(deed) : state === 'active';
  return true;
}

/** How a token stands that resumed; undefined where it did not, as one that waited and had only been given to somebody. */
function standing(entry: ChainedEntry, facts: Facts): string | undefined {
  const token = facts.tokens.get(entry.mapping_id ?? '');
  if (token?.clientId !== entry.client_id) return undefined;
  return isNews(entry, token.state, facts) ? STANDS[token.state] : undefined;
}

/** The tokens as they are now: one that went to another app since, or stopped since, is left out. */
function resumed(entries: readonly ChainedEntry[], facts: Facts): WebhookMessage[] {
  const alike = groupBy(
    entries.filter(({ action }) => RESUMED.has(action)),
    (entry) => standing(entry, facts) ?? '',
  );
  return [...alike].flatMap(([state, some]) => {
    const [first] = some;
    if (!first || state === '') return [];
    const why = RESUMED.get(first.action);
    return [toldOwner('token.resumed', first, { why, state, ...namedIn(some, facts) })];
  });
}

type TurnFacts = Pick<ChainedEntry, 'client_id' | 'grant_id' | 'action' | 'reason' | 'at'>;

/** The same for tokens that stopped or resumed together: of one app, with one connection, for one reason. */
const togetherOf = ({ client_id, grant_id, action, reason, at }: TurnFacts) =>
  JSON.stringify([client_id, grant_id, action, action === TAKEN_BACK ? withoutEntry(reason) : reason, at]);

/** Tokens that stopped together, or resumed together, are told in one message. */
function turns(entries: readonly ChainedEntry[], facts: Facts): WebhookMessage[] {
  const alike = groupBy(entries.filter(namesTurn), togetherOf);
  return [...alike.values()].flatMap((some) => [
    ...stopped(some, facts),
    ...stoppedElsewhere(some, facts),
    ...resumed(some, facts),
  ]);
}

/**
 * How many entries of a page stand before the first one of tokens that stopped or resumed together with tokens of `following`, the
 * entries after the page. All entries of the page where nothing goes on.
 */
export function countBeforeSplit(entries: readonly ChainedEntry[], following: readonly TurnFacts[]): number {
  const goingOn = new Set(following.map(togetherOf));
  const split = entries.findIndex((entry) => namesTurn(entry) && goingOn.has(togetherOf(entry)));
  return split === -1 ? entries.length : split;
}

const momentOrNull = (at: number | undefined) => (at === undefined ? null : isoMoment(at));

function datesMoved(
  { position, at, client_id: clientId }: ChainedEntry,
  { lifecycle }: Facts,
): WebhookMessage {
  const dates = (of: string | undefined) => ({
    retirement: momentOrNull(dateFor(lifecycle, 'retirement', of)),
    sunset: momentOrNull(dateFor(lifecycle, 'sunset', of)),
  });
  return {
    event: 'date.moved',
    told: `date:${position}`,
    at,
    clientId,
    dataFor: (webhook) => {
      const of = webhook.clientId ?? clientId;
      return { client_id: of, ...dates(of ?? undefined) };
    },
  };
}

/** For the operator: ids, and nothing that a person wrote. */
function toldOperator(
  event: 'connection.ended' | 'consent.finished' | 'token.leaked',
  { position, at }: ChainedEntry,
  data: object,
): WebhookMessage {
  return { event, told: `${event}:${position}`, at, clientId: null, dataFor: () => data };
}

function toldAlone(entry: ChainedEntry, facts: Facts): WebhookMessage[] {
  const { action, client_id, account_id, grant_id, mapping_id, reason } = entry;
  const connection = { client_id, account_id, grant_id };
  if (namesDates(entry)) return [datesMoved(entry, facts)];
  if (ENDED.has(action))
    return [toldOperator('connection.ended', entry, { ...connection, cause: causeOf(reason) })];
  if (action === 'granted') return [toldOperator('consent.finished', entry, connection)];
  if (action !== LEAKED) return [];
  const { clientId = null } = facts.tokens.get(mapping_id ?? '') ?? {};
  return [toldOperator('token.leaked', entry, { client_id: clientId, mapping_id })];
}

/** The messages of a page of the history. */
export function messagesOf(entries: readonly ChainedEntry[], facts: Facts): WebhookMessage[] {
  return [...turns(entries, facts), ...entries.flatMap((entry) => toldAlone(entry, facts))];
}
