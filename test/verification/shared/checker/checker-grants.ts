import type { Violation } from './checker.ts';
import type { GrantRow, Note, Received, RoundHistory } from './history.ts';

/** What a grant's row may be at rest: I4, I11, answers lost, and why a grant may have died. */

type ReceivedNote = Extract<Note, { what: 'received' }>;

const violation = (invariant: string, text: string): Violation => ({ invariant, text });

function refreshesWith(history: RoundHistory, token: string | undefined): Received[] {
  return history.received.filter((entry) => entry.kind === 'refresh' && entry.token === token);
}

const isReceived = (note: Note): note is ReceivedNote => note.what === 'received';

/** I4: what is stored for a version is what came for it. */
function checkNewest(history: RoundHistory, row: GrantRow): Violation[] {
  const came = history.notes.filter(
    (note) => isReceived(note) && note.grantId === row.id && note.version === row.version,
  ) as ReceivedNote[];
  if (came.length === 0 || row.token === undefined || came.some(({ token }) => token === row.token))
    return [];
  return [violation('I4', `grant ${row.id} holds for version ${row.version} what never came for it`)];
}

/** I11: never ready(v) when the modern side has answered 200 to v. */
function checkState(history: RoundHistory, row: GrantRow): Violation[] {
  if (row.state !== 'ready') return [];
  const isSpent = refreshesWith(history, row.token).some(({ status }) => status === 200);
  return isSpent
    ? [violation('I11', `grant ${row.id} is ready with version ${row.version}, which is spent`)]
    : [];
}

function wasDurable({ notes }: RoundHistory, { grantId, version }: ReceivedNote): boolean {
  return notes.some(
    (note) =>
      (note.what === 'kept' || note.what === 'spilled') &&
      note.grantId === grantId &&
      note.version === version,
  );
}

function hasLived({ outages }: RoundHistory, { pid, at }: ReceivedNote): boolean {
  return !outages.some((outage) => outage.pid === pid && outage.from >= at);
}

/** A pair that was made durable, or that a process held which was never killed, must be there at rest. */
function lostAnswers(history: RoundHistory): Violation[] {
  const bound = history.notes
    .filter(isReceived)
    .filter((note) => note.version > 1 && (wasDurable(history, note) || hasLived(history, note)));
  return bound.flatMap((note) => {
    const row = history.grants.find(({ id }) => id === note.grantId);
    if (!row || row.version >= note.version) return [];
    if (row.deadCause === 'deauthorized' || row.deadCause === 'replaced') return [];
    const answer = history.received.find(({ next }) => next === note.token);
    // Given up as lost, a grant comes back with the pair; what another presentation made the modern side end does not.
    if (row.deadCause === 'refused' && answer && wasPausedPast(history, note.pid, answer.at)) return [];
    return [
      violation('answer lost', `version ${note.version} of grant ${note.grantId} came and is not stored`),
    ];
  });
}

/** What the processes wrote down that presented the token. */
function presentedNotes({ notes }: RoundHistory, token: string | undefined): Note[] {
  return notes.filter((note) => note.what === 'presented' && note.token === token);
}

/** Between the presentation and the end of what it may take: on a busy network a request arrives after its process is gone. */
function wasKilledAround(history: RoundHistory, { at, token }: Received): boolean {
  const until = at + history.upstreamTimeout + 500;
  return presentedNotes(history, token).some((note) =>
    history.outages.some(({ from, pid }) => pid === note.pid && from >= note.at - 100 && from <= until),
  );
}

/** Stopped past the quiet time: meanwhile another process may have ended what this one would have read. */
function wasPausedPast({ pauses, quiet, claimToWrite }: RoundHistory, pid: number, at: number): boolean {
  return pauses.some(
    (pause) => pause.pid === pid && pause.from <= at + quiet && pause.until >= at + quiet - claimToWrite,
  );
}

function mayBeUnread(history: RoundHistory, { token, at }: Received): boolean {
  return presentedNotes(history, token).some(({ pid }) => wasPausedPast(history, pid, at));
}

/** The modern side itself, on a machine that was too busy, answered when nobody waited any more. */
function cameTooLate({ upstreamTimeout }: RoundHistory, { at, answeredAt = at }: Received): boolean {
  return answeredAt - at > upstreamTimeout - 300;
}

/** The faults that can take an answer away; the others are shorter than the limits. */
const TAKING: ReadonlySet<string | undefined> = new Set(['cut', 'black-hole', 'reset']);

/** The network may have taken the answer: its own connection met such a fault. */
const wasTaken = ({ crossing }: Received): boolean => TAKING.has(crossing?.fault);

/** A pair that nobody received was spoiled or lost on the way, or its process was killed or paused for too long. */
function unreceivedAnswers(history: RoundHistory): Violation[] {
  const noted = new Set(history.notes.filter(isReceived).map(({ token }) => token));
  const unheard = history.received.filter(
    (entry) =>
      entry.kind === 'refresh' &&
      entry.next !== undefined &&
      entry.at >= history.since &&
      !entry.repeated &&
      entry.hostile === undefined &&
      !noted.has(entry.next) &&
      !wasTaken(entry) &&
      !cameTooLate(history, entry) &&
      !mayBeUnread(history, entry) &&
      !wasKilledAround(history, entry),
  );
  if (unheard.length === 0) return [];
  return [
    violation('answer lost', `${unheard.length} pairs came and no process that lived has noticed them`),
  ];
}

/** P16: a dead grant costs no further request. */
function checkTombstone(history: RoundHistory, row: GrantRow): Violation[] {
  const { deadAt, token } = row;
  if (row.state !== 'dead' || deadAt === null || token === undefined) return [];
  const late = history.presentations.filter((each) => each.token === token && each.at > deadAt + 100);
  return late.length > 0 ? [violation('I3', `the token of grant ${row.id} was presented after its end`)] : [];
}

/** Whether the modern side can have ended it for a reason outside of the bridge, or its answer was lost on the way. */
function isBeyondSaving(history: RoundHistory, token: string | undefined): boolean {
  const entries = refreshesWith(history, token);
  const parent = history.received.find((entry) => entry.next !== undefined && entry.next === token)?.token;
  const isSpent = entries.some(({ status }) => status === 200);
  const wasRepeated = [...entries, ...refreshesWith(history, parent)].some(({ repeated }) => repeated);
  return isSpent || wasRepeated || (token !== undefined && history.revokedByCampaign.includes(token));
}

const DEATHS: Record<string, (history: RoundHistory, row: GrantRow) => boolean> = {
  refused: (history, row) =>
    refreshesWith(history, row.token).some(({ error }) => error === 'invalid_grant') &&
    isBeyondSaving(history, row.token),
  lost: (history, row) =>
    history.introspects ? isBeyondSaving(history, row.token) : history.withSibling.length > 0,
  deauthorized: ({ calls, mappings }, { clientId }) => {
    const own = mappings.filter((mapping) => mapping.clientId === clientId);
    const ended = calls.filter(({ operation }) => operation === 'deauthorize');
    return ended.some(({ secret }) => own.some(({ token }) => token === secret));
  },
  unfinished: ({ mappings }, { id }) => mappings.every(({ grantId }) => grantId !== id),
  replaced: ({ events, grants }, { id, clientId, deadAt }) =>
    events.some(
      ({ action, grantId, at }) =>
        action === 'granted' &&
        at >= (deadAt ?? 0) - 100 &&
        grants.some((grant) => grant.id === grantId && grant.id !== id && grant.clientId === clientId),
    ),
};

/** A grant dies of a cause that was really there. */
function checkDeath(history: RoundHistory, row: GrantRow): Violation[] {
  if (row.state !== 'dead' || DEATHS[row.deadCause ?? '']?.(history, row)) return [];
  return [violation('grant lost', `grant ${row.id} died (${row.deadCause}) and nothing had happened to it`)];
}

/** What a deauthorization leaves upstream is revoked or owed; beside another live grant it is left to expire. */
function checkRevocation(history: RoundHistory, row: GrantRow): Violation[] {
  if (row.deadCause !== 'deauthorized' || history.withSibling.length > 0) return [];
  const revoked = history.received
    .filter(({ kind, status, at }) => kind === 'revocation' && status === 200 && at >= history.since)
    .map(({ token }) => token ?? '');
  const earlier = new Set(history.owedBefore);
  const told = new Set([...revoked, ...history.owed].filter((token) => !earlier.has(token)));
  const surplus = history.notes
    .filter(isReceived)
    .filter((note) => note.grantId === row.id && hasLived(history, note));
  const forgotten = surplus.filter(({ token, version }) => version > row.version && !told.has(token));
  const words = `grant ${row.id} was deauthorized and the modern side is not told`;
  return forgotten.length > 0 || told.size === 0 ? [violation('revocation', words)] : [];
}

/** The rules about rows of grants that need no word of the processes. */
export function checkRows(history: RoundHistory): Violation[] {
  const rules = [checkState, checkDeath, checkTombstone];
  return history.grants.flatMap((row) => rules.flatMap((rule) => rule(history, row)));
}

/** Every rule about the rows of grants. */
export function checkGrants(history: RoundHistory): Violation[] {
  const rules = [checkNewest, checkRevocation];
  return [
    ...checkRows(history),
    ...history.grants.flatMap((row) => rules.flatMap((rule) => rule(history, row))),
    ...lostAnswers(history),
    ...unreceivedAnswers(history),
  ];
}
