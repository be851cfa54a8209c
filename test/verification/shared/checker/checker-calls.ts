import type { Violation } from './checker.ts';
import { type Call, type GrantRow, groupedBy, type MappingRow, type RoundHistory } from './history.ts';

/** What callers may be answered: I1, I2, I5, I8, I12, and that everybody is answered. */

const violation = (invariant: string, text: string): Violation => ({ invariant, text });

/** The end of a connection is seen before the end of its process. */
const SEEN_LATE_MS = 1000;

/** Whether the process of a call could not answer while the call was under way. */
export function wasAway(
  { outages }: Pick<RoundHistory, 'outages'>,
  call: Pick<Call, 'process' | 'startedAt' | 'endedAt'>,
): boolean {
  return outages.some(
    ({ process, from, until }) =>
      process === call.process && from <= call.endedAt + SEEN_LATE_MS && until >= call.startedAt,
  );
}

/** How long a call took beside what its machine kept for others. */
export function tookItself({
  startedAt,
  endedAt,
  stood = 0,
}: Pick<Call, 'startedAt' | 'endedAt' | 'stood'>): number {
  return endedAt - startedAt - stood;
}

/** Whether a caller gave up on a call that the machine kept from its end. */
export function wasStarved(
  { callerLimit }: Pick<RoundHistory, 'callerLimit'>,
  call: Pick<Call, 'startedAt' | 'endedAt' | 'stood' | 'failure'>,
): boolean {
  const waited = call.endedAt - call.startedAt;
  return call.failure === 'hung' && waited > callerLimit && tookItself(call) <= callerLimit;
}

function entriesOf({ events }: RoundHistory, action: string): number {
  return events.filter((event) => event.action === action).length;
}

const words = (call: Call) => `${call.operation} at process ${call.process}`;

function checkAnswered(history: RoundHistory, call: Call): Violation[] {
  if (call.status === undefined) {
    if (wasAway(history, call) || wasStarved(history, call)) return [];
    return [violation('answered', `${words(call)} got no answer (${call.failure}) from a living process`)];
  }
  const allowed = { read: [200, 401, 503], exchange: [200, 400, 503], deauthorize: [200, 401, 503] };
  if (allowed[call.operation].includes(call.status)) return [];
  return [violation('answered', `${words(call)} was answered ${call.status}: ${call.body}`)];
}

/** Whoever waits longer than a caller may waits for a process that does not run, or for ever. */
function checkWaited({ pauses, callerLimit }: RoundHistory, call: Call): Violation[] {
  const waited = call.endedAt - call.startedAt;
  const wasPaused = pauses.some(
    ({ process, from, until }) => process === call.process && from <= call.endedAt && until >= call.startedAt,
  );
  if (tookItself(call) <= callerLimit || wasPaused) return [];
  return [violation('answered', `${words(call)} took ${waited} ms`)];
}

/** P1: whatever happens to its renewal, an access token serves while it lives. */
function checkServed(history: RoundHistory, call: Call): Violation[] {
  const { served } = history;
  if (!served || call.operation !== 'read' || call.startedAt < served.from || call.endedAt > served.until)
    return [];
  if (call.status === 200 || call.status === undefined) return [];
  return [violation('P1', `${words(call)} was answered ${call.status} while the access token lived`)];
}

/** Two clocks of one machine, read in two processes. */
const NOISE_MS = 100;

/** An event is dated before its transaction is committed, and a busy machine takes its time for that. */
const COMMITTED_WITHIN_MS = 2000;

/** Whether a grant had ended and no newer one had taken its tokens over when the call began. */
function hadEnded({ events, grants }: RoundHistory, { id, deadAt, clientId }: GrantRow, call: Call): boolean {
  if (deadAt === null || deadAt > call.endedAt + NOISE_MS) return false;
  return !events.some(
    ({ action, grantId, at }) =>
      action === 'granted' &&
      at >= deadAt &&
      at < call.startedAt - COMMITTED_WITHIN_MS &&
      grants.some((newer) => newer.id === grantId && newer.id !== id && newer.clientId === clientId),
  );
}

/** Whether a grant was given up, and had not come back, while the call was under way. */
function wasGivenUp({ events }: RoundHistory, { id }: GrantRow, call: Call): boolean {
  const own = events.filter(({ grantId }) => grantId === id);
  return own.some(({ action, at }, n) => {
    if (action !== 'grant_died' || at > call.endedAt + NOISE_MS) return false;
    const back = own.slice(n).find((later) => later.action === 'grant_revived');
    return back !== undefined && back.at >= call.startedAt - NOISE_MS;
  });
}

/**
 * Whoever gives the token of a dead grant back ends that token alone: there is no entry of its grant. A token that waits for its
 * holder is ended too, although the answer is 401 as for every call with it. Then the token has an entry.
 */
function wasGivenBack({ calls, events }: RoundHistory, { id }: MappingRow, call: Call): boolean {
  const until = call.endedAt + NOISE_MS;
  const hasEntrySince = (from: number) =>
    events.some(
      ({ action, mappingId, at }) =>
        action === 'token_revoked' && mappingId === id && at >= from - NOISE_MS && at <= until,
    );
  return calls.some(
    ({ operation, secret, status, startedAt }) =>
      operation === 'deauthorize' &&
      secret === call.secret &&
      startedAt <= until &&
      (status === 200 || hasEntrySince(startedAt)),
  );
}

function wasRevoked(history: RoundHistory, mapping: MappingRow, call: Call): boolean {
  if (wasGivenBack(history, mapping, call)) return true;
  return history.events.some(
    ({ action, grantId, mappingId, at }) =>
      action === 'deauthorized' &&
      at <= call.endedAt + NOISE_MS &&
      (mappingId === mapping.id || grantId === mapping.grantId),
  );
}

/** 401 says that the token is dead for good; it may only be said when it is. */
function checkRefusal(history: RoundHistory, call: Call): Violation[] {
  if (call.operation !== 'read' || call.status !== 401) return [];
  const mapping = history.mappings.find(({ token }) => token === call.secret);
  if (!mapping) return [];
  const own = history.grants.filter(({ clientId }) => clientId === mapping.clientId);
  if (wasRevoked(history, mapping, call) || own.some((grant) => hadEnded(history, grant, call))) return [];
  if (own.some((grant) => wasGivenUp(history, grant, call))) return [];
  return [violation('answered', `${words(call)} was answered 401, and its grant lives`)];
}

/** I8: every answer of token.json is JSON with both cache headers. */
function checkTokenAnswer(call: Call): Violation[] {
  if (call.operation !== 'exchange' || call.status === undefined) return [];
  const { 'content-type': type, 'cache-control': cache, pragma } = call.headers;
  const isRight =
    String(type).startsWith('application/json') &&
    /no-store/.test(String(cache)) &&
    /no-cache/.test(String(pragma));
  return isRight && call.isJson
    ? []
    : [violation('I8', `an answer of token.json was no JSON or had no cache headers`)];
}

/** I1: a code gives at most one token, ever. */
function checkCodes({ calls }: RoundHistory): Violation[] {
  const exchanges = calls.filter(({ operation, status }) => operation === 'exchange' && status === 200);
  const byCode = groupedBy(exchanges, ({ secret }) => secret);
  return [...byCode].flatMap(([code, list]) =>
    list.length > 1 ? [violation('I1', `code ${code} gave ${list.length} tokens`)] : [],
  );
}

/** I1, the other side: a code that is refused has given somebody a token, unless a process went down with it. */
function checkGiven(history: RoundHistory): Violation[] {
  const exchanges = history.calls.filter(({ operation }) => operation === 'exchange');
  const answered = exchanges.filter(({ status }) => status === 200).length;
  // tokens that were made and whose answer reached nobody
  const unheard = Math.max(0, entriesOf(history, 'token_issued') - answered);
  const found = [...groupedBy(exchanges, ({ secret }) => secret)].flatMap(([code, list]) => {
    const isGiven = list.some(({ status }) => status === 200);
    const isRefused = list.some(({ status }) => status === 400);
    if (isGiven || !isRefused || list.some((call) => wasAway(history, call))) return [];
    return [violation('I1', `code ${code} was refused and gave nobody a token`)];
  });
  return found.slice(unheard);
}

/** Connections that were cut are noticed one after the other. */
function metNoDatabase({ databaseAway: away, cuts }: RoundHistory, call: Call): boolean {
  const own = cuts.filter(({ process }) => process === call.process);
  return [...(away ? [away] : []), ...own].some(
    ({ from, until }) => call.endedAt >= from && call.startedAt <= until + SEEN_LATE_MS,
  );
}

/** A grant that serves at the end of a round has served somebody, if anybody called while there was a database. */
function checkSomebody(history: RoundHistory): Violation[] {
  const reads = history.calls.filter(({ operation }) => operation === 'read');
  const ready = history.grants.filter(({ state }) => state === 'ready').map(({ id }) => id);
  return history.mappings.flatMap(({ token, grantId, state }) => {
    const own = reads.filter(({ secret }) => secret === token);
    const serves = state === 'active' && ready.some((id) => id === grantId);
    const hasServed = own.some(({ status }) => status !== 503);
    if (!serves || hasServed || own.every((call) => metNoDatabase(history, call))) return [];
    return [violation('answered', `${own.length} calls and nobody was served, though the grant lives`)];
  });
}

/** I2: what starts after an answered deauthorization is not answered with the token. */
function checkDeauthorized({ calls }: RoundHistory): Violation[] {
  const ended = calls.filter(({ operation, status }) => operation === 'deauthorize' && status === 200);
  return ended.flatMap((end) => {
    const late = calls.filter(
      ({ operation, status, secret, startedAt }) =>
        operation === 'read' && status === 200 && secret === end.secret && startedAt > end.endedAt,
    );
    return late.length > 0
      ? [violation('I2', `${late.length} calls were answered after a deauthorization`)]
      : [];
  });
}

/** I5: what was answered with 200 was committed before. */
function checkCommitted(call: Call): Violation[] {
  if (call.committed !== false) return [];
  return [violation('I5', `${words(call)} was answered before its change and its entry were committed`)];
}

/** I5, exchanges: one entry for the mapping of each token that came, written before the answer. */
function checkIssued({ events, mappings }: RoundHistory, call: Call): Violation[] {
  if (call.issued === undefined) return [];
  const mapping = mappings.find(({ token }) => token === call.issued);
  const entries = events.filter(
    ({ action, mappingId, at }) =>
      action === 'token_issued' && mappingId === mapping?.id && at <= call.endedAt + 50,
  );
  if (mapping && entries.length === 1) return [];
  return [violation('I5', `a token was answered with ${entries.length} entries in the history`)];
}

/** I5, deauthorizations: as many entries as answers, and one more at most for each that was never answered. */
function checkDeauthorizations(history: RoundHistory): Violation[] {
  const calls = history.calls.filter(({ operation }) => operation === 'deauthorize');
  const answered = calls.filter(({ status }) => status === 200).length;
  const unknown = calls.filter(({ status }) => status === undefined || status === 503).length;
  const entries = entriesOf(history, 'deauthorized');
  if (entries >= answered && entries <= answered + unknown) return [];
  return [violation('I5', `${answered} deauthorizations were answered, ${entries} stand in the history`)];
}

/** I5, consents: one entry for each grant. */
function checkGranted({ events, grants }: RoundHistory): Violation[] {
  const granted = events.filter(({ action }) => action === 'granted').map(({ grantId }) => grantId);
  const isOnce = new Set(granted).size === granted.length;
  const hasRows = granted.every((grantId) => grants.some(({ id }) => id === grantId));
  return isOnce && hasRows ? [] : [violation('I5', 'the history of consents is not that of the grants')];
}

/** I12: while nothing is faulty two processes are as one. */
function checkCalm({ calm }: RoundHistory): Violation[] {
  return calm.flatMap(({ requests, statuses }) =>
    requests === 1 && statuses.every((status) => status === 200)
      ? []
      : [violation('I12', `without a fault: ${requests} token requests, answers ${statuses.join(' ')}`)],
  );
}

/** Every rule about calls. */
export function checkCalls(history: RoundHistory): Violation[] {
  const each = history.calls.flatMap((call) => [
    ...checkAnswered(history, call),
    ...checkWaited(history, call),
    ...checkRefusal(history, call),
    ...checkServed(history, call),
    ...checkTokenAnswer(call),
    ...checkCommitted(call),
    ...checkIssued(history, call),
  ]);
  const all = [
    checkCodes,
    checkGiven,
    checkSomebody,
    checkDeauthorized,
    checkDeauthorizations,
    checkGranted,
    checkCalm,
  ];
  return [...each, ...all.flatMap((rule) => rule(history))];
}
