import { SERVED_HERE } from '../../store/usage/last-use.ts';
import { type Callers, type CallSum, findLastCall, sumCalls } from '../../store/usage/call-sums.ts';
import { type CallsSubject, inParts } from './callers.ts';
import { firstDayOf } from './counted-days.ts';
import type { UsageDeps } from './deps.ts';

/** The calls of some tokens or of an app. */
export interface CallSummary {
  /** The kinds of calls within the requested days, the most frequent first. Of very many kinds some are left out. */
  kinds: CallSum[];
  /** Whether some kinds were left out. */
  isCut: boolean;
  /** The last call of all, as far back as usage is kept. */
  last: LastCall | undefined;
}

interface LastCall {
  at: number;
  userAgent: string;
  isRefused: boolean;
}

/** How many kinds one statement answers. Callers choose the names of their user agents, so there may be any number. */
const KINDS_AT_ONCE = 200;

/** The calls of one kind, of two parts of the callers. */
function bothOf(one: CallSum, other: CallSum): CallSum {
  return {
    ...other,
    calls: one.calls + other.calls,
    answered: one.answered + other.answered,
    refused: one.refused + other.refused,
    last_at: Math.max(one.last_at, other.last_at),
  };
}

function addUp(before: ReadonlyMap<string, CallSum>, kinds: readonly CallSum[]): Map<string, CallSum> {
  const sums = new Map(before);
  for (const kind of kinds) {
    const key = [kind.endpoint, kind.carrier, kind.user_agent].join('\n');
    const known = sums.get(key);
    sums.set(key, known === undefined ? kind : bothOf(known, kind));
  }
  return sums;
}

/**
 * The last call. For most tokens it is among the kinds that were just read; a search through all days would read many
 * rows.
 */
async function lastOf(
  store: UsageDeps['store'],
  callers: Callers,
  { sinceDay, kinds }: { sinceDay: string; kinds: readonly CallSum[] },
): Promise<LastCall | undefined> {
  if (kinds.length === 0 || kinds.length === KINDS_AT_ONCE) {
    const found = await findLastCall(store, callers, kinds.length === 0 ? '' : sinceDay);
    return (
      found && { at: found.last_at, userAgent: found.user_agent, isRefused: found.outcome === 'refused' }
    );
  }
  const [last] = kinds.toSorted((one, other) => other.last_at - one.last_at);
  if (!last) return undefined;
  const { last_at: at, user_agent: userAgent } = last;
  return { at, userAgent, isRefused: kinds.every(({ taken_at: taken }) => taken === null || taken < at) };
}

/**
 * The calls of these tokens together, or of an app, by endpoint, carrier and user agent, within the last days, today
 * included.
 */
export async function callsOf(
  { store, clock }: Pick<UsageDeps, 'store' | 'clock'>,
  asked: CallsSubject,
  { days }: { days: number },
): Promise<CallSummary> {
  const sinceDay = firstDayOf(clock.now(), days);
  let sums = new Map<string, CallSum>();
  let isCut = false;
  const lasts: LastCall[] = [];
  for await (const callers of inParts(asked)) {
    const kinds = await sumCalls(store, callers, { sinceDay, limit: KINDS_AT_ONCE });
    isCut ||= kinds.length === KINDS_AT_ONCE;
    sums = addUp(sums, kinds);
    const last = await lastOf(store, callers, { sinceDay, kinds });
    if (last) lasts.push(last);
  }
  return {
    kinds: [...sums.values()].toSorted((a, b) => b.calls - a.calls),
    isCut,
    last: lasts.toSorted((a, b) => b.at - a.at)[0],
  };
}

const CARRIERS: Readonly<Record<string, string>> = {
  header: 'the header',
  query: 'the address',
  body: 'the body',
};

/** The part of a call that carried the token, in words for people: `the header`. */
export function carrierWords(carrier: string): string {
  return CARRIERS[carrier] ?? 'another place';
}

/** Usage stores `none` for a missing name, and `other` where there were too many names. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['none', 'a program that does not say its name'],
  ['other', 'other programs'],
]);

/** The program that called, in words for people. A name is what the program says of itself. */
export function programWords(userAgent: string): string {
  return PROGRAMS.get(userAgent) ?? userAgent;
}

/** Whether the new API answers the endpoint, or may answer it: `other` names no endpoint. */
export function isAnsweredHere(endpoint: string): boolean {
  return SERVED_HERE.includes(endpoint);
}

/** The endpoints that the new API does not answer, whether the old API answers them or not. */
export function endpointsElsewhere(kinds: CallSummary['kinds']): string[] {
  return [...new Set(kinds.map(({ endpoint }) => endpoint))].filter((endpoint) => !isAnsweredHere(endpoint));
}

/**
 * The endpoints that the old API answered and the new API does not answer. These endpoints end with the retirement for
 * connected tokens too. Only answered calls count, because programs also call endpoints that never existed.
 */
export function endpointsPassed(kinds: CallSummary['kinds']): string[] {
  return endpointsElsewhere(kinds.filter(({ answered }) => answered > 0));
}
