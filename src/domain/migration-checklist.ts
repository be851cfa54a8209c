import { countGrants, countHandovers } from '../store/app-tokens.ts';
import { callKindsOf, statesOfApp } from './app-tokens.ts';
import type { Calls } from './calls-of.ts';
import type { Context } from './context.ts';
import { type EnteredClient, enteredClientOf } from './enter-modern-client.ts';

/** How far an app has moved to the new API, by what the bridge sees. */

/** Old calls of so many days are looked at; a program that runs once a week calls within them. */
const DAYS_LOOKED_AT = 7;

export interface MovedSoFar {
  /** The app's own client at the modern side. */
  client: EnteredClient | undefined;
  tokens: {
    /** Served by a modern grant, or moved. */
    mapped: number;
    /** For a consent. */
    waiting: number;
    /** Served by a modern grant: what a hand-over moves. */
    active: number;
    migrated: number;
  };
  /** Live grants: how many there are, and of how many the app's own client is the holder. */
  grants: { all: number; own: number };
  /** `last` is the last call at all, as long as usage is kept. */
  calls: Calls & { days: number; total: number };
  handovers: { handed: number; confirmed: number };
}

async function tokensOf(context: Context, clientId: string): Promise<MovedSoFar['tokens']> {
  const {
    active = 0,
    migrated = 0,
    unmapped = 0,
    reauthorization_required: stopped = 0,
  } = await statesOfApp(context, clientId);
  return { mapped: active + migrated, waiting: unmapped + stopped, active, migrated };
}

async function grantsOf(
  { store }: Context,
  clientId: string,
  client: EnteredClient | undefined,
): Promise<MovedSoFar['grants']> {
  const rows = await countGrants(store.durable, clientId);
  const all = rows.reduce((sum, { n }) => sum + n, 0);
  return { all, own: rows.find((row) => row.modern_client_id === client?.id)?.n ?? 0 };
}

/** What the migration checklist of an app rests on, read now. */
export async function movedSoFar(context: Context, clientId: string): Promise<MovedSoFar> {
  const client = await enteredClientOf(context, clientId);
  const [tokens, grants, { kinds, last }, handovers] = await Promise.all([
    tokensOf(context, clientId),
    grantsOf(context, clientId, client),
    callKindsOf(context, { clientId }, { days: DAYS_LOOKED_AT }),
    countHandovers(context.store.durable, clientId),
  ]);
  const total = kinds.reduce((sum, kind) => sum + kind.calls, 0);
  return { client, tokens, grants, calls: { days: DAYS_LOOKED_AT, total, kinds, last }, handovers };
}
