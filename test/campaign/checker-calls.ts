import type { Violation } from './checker.ts';
import { type Call, groupedBy, type RoundHistory } from './history.ts';

/** What callers may be answered: I1, I2, I5, I8, I12, and that everybody is answered. */

const violation = (invariant: string, text: string): Violation => ({ invariant, text });

/** The end of a connection is seen before the end of its process. */
const SEEN_LATE_MS = 1000;

function wasAway({ outages }: RoundHistory, call: Call): boolean {
  return outages.some(
    ({ process, from, until }) =>
      process === call.process && from <= call.endedAt + SEEN_LATE_MS && until >= call.startedAt,
  );
}

const words = (call: Call) => `${call.operation} at process ${call.process}`;

function checkAnswered(history: RoundHistory, call: Call): Violation[] {
  if (call.status === undefined) {
    if (wasAway(history, call)) return [];
    return [violation('answered', `${words(call)} got no answer (${call.failure}) from a living process`)];
  }
  const allowed = { read: [200, 401, 503], exchange: [200, 400, 503], deauthorize: [200, 401, 503] };
  if (allowed[call.operation].includes(call.status)) return [];
  return [violation('answered', `${words(call)} was answered ${call.status}: ${call.body}`)];
}

/** P1: whatever happens to its renewal, an access token serves while it lives. */
function checkServed(history: RoundHistory, call: Call): Violation[] {
  const { served } = history;
  if (!served || call.operation !== 'read' || call.startedAt < served.from || call.endedAt > served.until)
    return [];
  if (call.status === 200 || call.status === undefined) return [];
  return [violation('P1', `${words(call)} was answered ${call.status} while the access token lived`)];
}

/** 401 says that the token is dead for good; it may only be said when it is. */
function checkRefusal(history: RoundHistory, call: Call): Violation[] {
  if (call.operation !== 'read' || call.status !== 401) return [];
  const mapping = history.mappings.find(({ token }) => token === call.secret);
  const hasDied = history.grants.some(({ deadAt }) => deadAt !== null && deadAt <= call.endedAt + 100);
  if (mapping?.state !== 'active' || hasDied) return [];
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

function entriesOf({ events }: RoundHistory, action: string): number {
  return events.filter((event) => event.action === action).length;
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
    ...checkRefusal(history, call),
    ...checkServed(history, call),
    ...checkTokenAnswer(call),
    ...checkCommitted(call),
    ...checkIssued(history, call),
  ]);
  const all = [checkCodes, checkDeauthorized, checkDeauthorizations, checkGranted, checkCalm];
  return [...each, ...all.flatMap((rule) => rule(history))];
}
