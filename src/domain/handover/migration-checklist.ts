import { countGrants, countHandovers } from '../../store/tokens/app-tokens.ts';
import { callersOf } from '../usage/callers.ts';
import { type CallSummary, callsOf } from '../usage/calls-of.ts';
import { callDaysOf } from '../usage/calls-per-day.ts';
import type { CountedDays } from '../usage/counted-days.ts';
import { type AwaitedHandovers, awaitedHandovers, lostHandovers } from './awaited.ts';
import type { HandoverDeps } from './deps.ts';
import { type EnteredClient, enteredClientOf } from './enter-modern-client.ts';
import { ownClientsOf } from './former-clients.ts';
import { type StateCounts, statesOfApp } from '../tokens/states-of-app.ts';

/** How far an app has moved to the new API, as the bridge sees it. */

/** This many grants and this many hand-overs are read. A page that is opened has no time for more. */
const CONNECTIONS_READ = 20_000;

/** Old calls of this many days are read. A program that runs once a week calls within that time. */
const DAYS_LOOKED_AT = 7;

export interface MigrationProgress {
  /** The app's own client at the new API. */
  client: EnteredClient | undefined;
  tokens: {
    /** Served by a grant, or migrated. */
    mapped: number;
    /** Waiting for a consent. */
    waiting: number;
    /** Served by a grant: the tokens that a hand-over moves. */
    active: number;
    migrated: number;
  };
  /** The number of tokens by state. */
  states: StateCounts;
  /**
   * Live grants. `own`: grants on the app's own client. `former`: grants that former clients may still take over. `takers`:
   * every former client that may take over a grant, or confirm one that it took.
   * `isRefused`: the secret of the own client is retired. `isPart`: there may be more grants than were counted.
   */
  grants: {
    all: number;
    own: number;
    former?: ReadonlyArray<{ id: string; connections: number }>;
    takers?: readonly string[];
    isRefused?: boolean;
    isPart?: boolean;
  };
  /** `last` is the last call of all, as long as usage is kept. `counted`: what is known of the days of `total`. */
  calls: CallSummary & { counted: CountedDays; total: number };
  /**
   * Hand-overs: all, those that the app has confirmed, those whose pair waits for a confirmation, and `lost`: the pair
   * was erased before a confirmation.
   */
  handovers: AwaitedHandovers & {
    handed: number;
    confirmed: number;
    lost: number;
    /** Whether there may be more hand-overs than were counted. */
    isPart?: boolean;
  };
}

function tokensIn(states: StateCounts): MigrationProgress['tokens'] {
  const { active = 0, migrated = 0, unmapped = 0, reauthorization_required: stopped = 0 } = states;
  return { mapped: active + migrated, waiting: unmapped + stopped, active, migrated };
}

async function grantsOf(
  { store }: HandoverDeps,
  clientId: string,
  client: EnteredClient | undefined,
): Promise<MigrationProgress['grants']> {
  const rows = await countGrants(store.durable, clientId, CONNECTIONS_READ);
  const all = rows.reduce((sum, { n }) => sum + n, 0);
  const madeWith = (id: string | undefined) => rows.find((row) => row.modern_client_id === id)?.n ?? 0;
  const clients = await ownClientsOf({ store }, clientId);
  const takers = clients
    .filter(({ isInUse, keepsHandovers, secret }) => !isInUse && keepsHandovers && secret !== 'retired')
    .map(({ id }) => id);
  const former = takers
    .map((id) => ({ id, connections: madeWith(id) }))
    .filter(({ connections }) => connections > 0);
  const isRefused = clients.some(({ isInUse, secret }) => isInUse && secret === 'retired');
  return { all, own: madeWith(client?.id), former, takers, isRefused, isPart: all === CONNECTIONS_READ };
}

async function handoversOf(context: HandoverDeps, clientId: string): Promise<MigrationProgress['handovers']> {
  const limit = CONNECTIONS_READ;
  const counts = await countHandovers(context.store.durable, clientId, limit);
  const awaited = await awaitedHandovers(context, clientId);
  const lost = await lostHandovers(context, clientId);
  return { ...counts, ...awaited, lost, isPart: counts.handed === limit };
}

/** The calls of the last days, and whether all calls are known. */
async function callsFor(context: HandoverDeps, clientId: string): Promise<MigrationProgress['calls']> {
  const days = DAYS_LOOKED_AT;
  const asked = await callersOf(context, { clientId });
  const calls = await callsOf(context, asked.who, { days });
  // Of many kinds of calls some are left out, but the days are complete.
  const perDay = await callDaysOf(context, asked.who, { days });
  const total = perDay.reduce((sum, { calls: n }) => sum + n, 0);
  return { ...calls, counted: asked.within(days), total };
}

/** The facts for the migration checklist of an app, read now. */
export async function movedSoFar(context: HandoverDeps, clientId: string): Promise<MigrationProgress> {
  const client = await enteredClientOf(context, clientId);
  const [states, grants, calls, handovers] = await Promise.all([
    statesOfApp(context, clientId),
    grantsOf(context, clientId, client),
    callsFor(context, clientId),
    handoversOf(context, clientId),
  ]);
  return { client, tokens: tokensIn(states), states, grants, calls, handovers };
}
