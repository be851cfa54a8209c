import type { HistoryChange } from '../domain/history/record-event.ts';
import { DEMO_APPS, UNIDENTIFIED } from './apps.ts';
import { DEAD_GRANT_KEPT } from '../shared/lifetimes.ts';
import { IMPORTED_AGO, type SeededPair, momentAgo } from './life.ts';
import { DEMO_PEOPLE } from './people.ts';

/** The history of the demo, in the words that the bridge would have written. */

const IMPORT = { actor: 'command', reason: 'import' };

const OBSERVED = { actor: 'bridge', reason: 'the old API accepted it' };

function ofApps(now: number): HistoryChange[] {
  const at = momentAgo(now, IMPORTED_AGO);
  return DEMO_APPS.map(({ clientId, source, owner }) =>
    source === 'observed'
      ? {
          at,
          actor: 'bridge',
          action: 'app_observed',
          reason: 'a program that nobody registered',
          clientId,
        }
      : {
          at,
          ...IMPORT,
          action: 'app_imported',
          clientId,
          accountId: owner ? DEMO_PEOPLE[owner].accountId : null,
        },
  );
}

function beginnings({ clientId, accountId, tokens }: SeededPair): HistoryChange[] {
  const isObserved = clientId === UNIDENTIFIED.clientId;
  const how = isObserved
    ? { ...OBSERVED, action: 'token_observed' }
    : { ...IMPORT, action: 'token_imported' };
  return tokens.map(({ id, stands }) => ({
    at: stands[0]?.at ?? 0,
    ...how,
    clientId,
    accountId,
    mappingId: id,
  }));
}

interface EventTexts {
  grant: Pick<HistoryChange, 'action' | 'reason'>;
  token: Pick<HistoryChange, 'action' | 'reason'>;
}

function toldOf(end: string): EventTexts {
  if (end === 'handed_over') {
    const reason = 'the app took the grant over';
    return { grant: { action: 'grant_handed_over', reason }, token: { action: 'token_migrated', reason } };
  }
  return {
    grant: { action: 'grant_died', reason: end },
    token: { action: 'token_reauthorization_required', reason: `grant_${end}` },
  };
}

/** The life of a grant: its consent, its end, and the outcome of the hand-over. */
function ofGrant({ clientId, accountId, grant, tokens }: SeededPair): HistoryChange[] {
  if (!grant) return [];
  const of = { clientId, accountId, grantId: grant.id };
  const by = { at: grant.from, actor: `account:${accountId ?? ''}`, reason: 'consent', ...of };
  const isTaken = grant.end === 'handed_over';
  const ended = { at: grant.to, actor: isTaken ? `app:${clientId}` : 'bridge', ...of };
  const told = toldOf(grant.end);
  const onGrant = tokens.filter(({ stands }) => stands.some(({ state }) => state === 'active'));
  const alive = onGrant.filter(({ stands }) => stands.some(({ at }) => at === grant.to));
  return [
    { ...by, action: 'granted' },
    ...onGrant.map(({ id }) => ({ ...by, action: 'token_connected', mappingId: id })),
    { ...ended, ...told.grant },
    ...alive.map(({ id }) => ({ ...ended, ...told.token, mappingId: id })),
    ...(isTaken && grant.isConfirmed
      ? [{ ...ended, at: grant.to + 1, action: 'handover_confirmed', reason: 'the app has its pair' }]
      : []),
  ];
}

/** The entry that the purge writes for a hand-over that no app confirmed. */
function erasures({ clientId, accountId, grant }: SeededPair, now: number): HistoryChange[] {
  if (grant?.end !== 'handed_over' || grant.isConfirmed) return [];
  const at = grant.to + DEAD_GRANT_KEPT;
  if (at > now) return [];
  const reason = 'not confirmed in seven days';
  return [{ at, actor: 'bridge', action: 'handover_erased', reason, clientId, accountId, grantId: grant.id }];
}

function revocations({ clientId, accountId, grant, tokens }: SeededPair): HistoryChange[] {
  return tokens.flatMap(({ id, stands, revokedBy }) => {
    const end = stands.at(-1);
    if (revokedBy === undefined || end?.state !== 'revoked') return [];
    const of = { clientId, accountId, grantId: grant?.id ?? null, mappingId: id };
    return [{ at: end.at, actor: revokedBy, action: 'token_revoked', reason: end.reason ?? '', ...of }];
  });
}

/** All entries, the oldest first. */
export function demoHistory(pairs: readonly SeededPair[], now: number): HistoryChange[] {
  const ofPairs = pairs.flatMap((pair) => [
    ...beginnings(pair),
    ...ofGrant(pair),
    ...erasures(pair, now),
    ...revocations(pair),
  ]);
  return [...ofApps(now), ...ofPairs].toSorted((one, other) => one.at - other.at);
}
