import { checkPresentations } from '../../shared/checker/checker-presentations.ts';
import { checkRows } from '../../shared/checker/checker-grants.ts';
import {
  emptyRound,
  type GrantRow,
  type Note,
  type Received,
  type RoundHistory,
} from '../../shared/checker/history.ts';
import { eventsAfter, grantsSince } from '../../shared/database.ts';
import type { ChaosRun } from '../run.ts';
import { ACCESS_TOKEN_SECONDS, QUIET_SECONDS } from '../topology.ts';

/** That no refresh token was presented twice and no grant was lost, from what the new API received. */

const UPSTREAM_TIMEOUT_MS = 15_000;
const CLAIM_TO_WRITE_MS = 2000;

type Pair = Received & { next: string };

const isPair = (entry: Received): entry is Pair => entry.next !== undefined && !entry.repeated;

/** Each pair that the new API gave, with the grant that it belongs to: the one whose token it was given for. */
function pairsOf(received: readonly Received[]): Array<Pair & { grantId: string }> {
  const grantOf = new Map<string, string>();
  return received.filter(isPair).map((entry) => {
    const grantId = grantOf.get(entry.token ?? '') ?? entry.next;
    grantOf.set(entry.next, grantId);
    return { ...entry, grantId };
  });
}

/** What the checker of the crash campaign reads, as far as it can be seen from outside of the bridges. */
function historyOf({ topology }: ChaosRun, grants: GrantRow[]): RoundHistory {
  const received = [...topology.recorder.received];
  const pairs = pairsOf(received);
  const notes = pairs.map(
    ({ at, next, grantId }): Note => ({
      what: 'received',
      at,
      pid: 0,
      process: 0,
      version: 0,
      grantId,
      token: next,
    }),
  );
  return {
    ...emptyRound(),
    introspects: true,
    quiet: QUIET_SECONDS * 1000,
    claimToWrite: CLAIM_TO_WRITE_MS,
    upstreamTimeout: UPSTREAM_TIMEOUT_MS,
    presentations: [...topology.presentations],
    received,
    notes,
    expiries: pairs.map(({ at, grantId }) => ({ at: at + ACCESS_TOKEN_SECONDS * 1000, grantId })),
    // all apps of a person stand on one account
    withSibling: ['every grant'],
    grants,
  };
}

/**
 * The process was killed, or the new API taken away, while the answer was on its way. A database that is away and a caller that
 * is cut off take no answer.
 */
function hadCause({ record: { cuts, troubles } }: ChaosRun, { at }: Received): boolean {
  const taking = [...cuts.filter(({ isKill }) => isKill), ...troubles.filter(({ of }) => of === 'new API')];
  return taking.some(({ from, until }) => from <= at + UPSTREAM_TIMEOUT_MS && until >= at - 500);
}

/** Grants that live and do not hold the newest pair that the new API gave for them. */
function lostPairs(run: ChaosRun, { received, grants }: RoundHistory): string[] {
  const pairs = pairsOf(received);
  return grants
    .filter(({ state }) => state !== 'dead')
    .flatMap((row) => {
      const held = pairs.find(({ next }) => next === row.token);
      const newest = pairs.findLast(({ grantId }) => grantId === held?.grantId);
      if (newest === undefined) return [`grant ${row.id} holds a pair that the new API never gave`];
      if (newest.next === row.token || hadCause(run, newest)) return [];
      return [`grant ${row.id} does not hold the newest pair that the new API gave for it`];
    });
}

/** A grant that ended because its token was spent, while nothing was killed around that. */
function lostGrants(run: ChaosRun, { received, grants }: RoundHistory): string[] {
  const dead = grants.filter(({ deadCause }) => deadCause === 'refused' || deadCause === 'lost');
  return dead
    .filter((row) => {
      const spent = received.find(
        ({ kind, token, status }) => kind === 'refresh' && token === row.token && status === 200,
      );
      return spent !== undefined && !hadCause(run, spent);
    })
    .map(({ id, deadCause }) => `grant ${id} died (${deadCause}) with a pair that no kill took`);
}

export interface GrantCounts {
  inDoubt: number;
  underRule: number;
  outside: number;
  /** Grants whose answer a kill took for good. */
  dead: number;
}

/** Judges what can be judged by now; `isRest` when everything has come to rest. */
export async function judgeGrants(run: ChaosRun, isRest: boolean): Promise<GrantCounts> {
  const { context } = run;
  const grants = context ? await grantsSince(context, 0) : [];
  const history = historyOf(run, grants);
  if (context) history.events = await eventsAfter(context, 0);
  const { violations, counts } = checkPresentations(history);
  for (const { text } of violations) run.complain('presented twice', text);
  // a row that was read and a request that arrived meanwhile contradict each other
  if (isRest) for (const { invariant, text } of checkRows(history)) run.complain(invariant, text);
  if (isRest) for (const text of lostPairs(run, history)) run.complain('pair lost', text);
  for (const text of lostGrants(run, history)) run.complain('grant lost', text);
  return {
    inDoubt: await run.database.openGrants(),
    underRule: counts.underRule + counts.afterProof,
    outside: counts.outside,
    dead: grants.filter(({ deadCause }) => deadCause === 'refused' || deadCause === 'lost').length,
  };
}
