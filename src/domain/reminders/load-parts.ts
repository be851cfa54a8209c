import { groupBy } from '../../shared/group-by.ts';
import {
  type HeldToken,
  listHeldTokens,
  listLiveApps,
  listOwnersApps,
  type NamedPerson,
  type OwnersApp,
  readDeaths,
} from '../../store/reminders/reminder-people.ts';
import type { Database } from '../../store/driver/store.ts';
import type { RemindersDeps } from './deps.ts';
import { sumTokensOf } from './owned/owned-tokens.ts';
import { later } from './owned/token-sums.ts';
import type { HolderPart, OwnerPart, AppPart } from './people.ts';
import { restForCalls } from '../work/yield-to-event-loop.ts';

/** The tokens that people hold and the apps that they own, app by app. */

type PartsDeps = Pick<RemindersDeps, 'store' | 'oldBackend'>;

async function ownerPart(
  context: PartsDeps,
  { client_id: clientId, app_name: appName, passed_at }: OwnersApp,
  stopping: AbortSignal | undefined,
): Promise<OwnerPart> {
  const sums = await sumTokensOf(context, { clientId, stopping });
  const passedAt = context.oldBackend ? (passed_at ?? undefined) : undefined;
  return { role: 'owner', clientId, appName, ...sums, passedAt };
}

/** What of a group of tokens counts for their holder. */
function holderPart(
  tokens: readonly HeldToken[],
  app: { client_id: string; name: string },
  deaths: ReadonlyMap<string, number>,
): HolderPart {
  const part: HolderPart = {
    role: 'holder',
    clientId: app.client_id,
    appName: app.name,
    waiting: tokens.length,
    lastUsedAt: undefined,
    wokenAt: undefined,
    diedAt: undefined,
    knownSince: undefined,
  };
  for (const { last_used_at, woken_at, grant_id, updated_at } of tokens) {
    part.lastUsedAt = later(part.lastUsedAt, last_used_at);
    part.wokenAt = later(part.wokenAt, woken_at);
    if (grant_id !== null) part.diedAt = later(part.diedAt, deaths.get(grant_id));
    if (last_used_at === null) part.knownSince = later(part.knownSince, updated_at);
  }
  return part;
}

async function deathsOf(db: Database, tokens: readonly HeldToken[]): Promise<ReadonlyMap<string, number>> {
  const ids = tokens.flatMap(({ grant_id }) => grant_id ?? []);
  return ids.length === 0 ? new Map() : readDeaths(db, ids);
}

function add(parts: Map<string, AppPart[]>, person: string, part: AppPart): void {
  const known = parts.get(person);
  if (known) known.push(part);
  else parts.set(person, [part]);
}

/** The waiting tokens of these people, app by app in the order of the names of apps. */
async function loadHeld(
  db: Database,
  named: NamedPerson,
  stopping: AbortSignal | undefined,
): Promise<Map<string, AppPart[]>> {
  const tokens = await listHeldTokens(db, named);
  if (tokens.length === 0) return new Map();
  await restForCalls(stopping);
  const deaths = await deathsOf(db, tokens);
  const byApp = groupBy(tokens, ({ client_id }) => client_id);
  const parts = new Map<string, AppPart[]>();
  for (const app of await listLiveApps(db, [...byApp.keys()])) {
    const byPerson = groupBy(byApp.get(app.client_id) ?? [], ({ person }) => person);
    for (const [person, own] of byPerson) {
      add(parts, person, holderPart(own, app, deaths));
    }
  }
  return parts;
}

/**
 * The parts of these people by name: first held tokens, then owned apps. People without parts are left out.
 * @throws {Error} named AbortError, when `stopping` aborts
 */
export async function loadParts(
  context: PartsDeps,
  named: NamedPerson,
  stopping?: AbortSignal,
): Promise<Map<string, AppPart[]>> {
  if (named.names.length === 0) return new Map();
  const { durable } = context.store;
  const parts = await loadHeld(durable, named, stopping);
  await restForCalls(stopping);
  for (const app of await listOwnersApps(durable, named))
    add(parts, app.person, await ownerPart(context, app, stopping));
  return parts;
}

function sumOf(one: HolderPart, other: HolderPart): HolderPart {
  return {
    ...one,
    waiting: one.waiting + other.waiting,
    lastUsedAt: later(one.lastUsedAt, other.lastUsedAt),
    wokenAt: later(one.wokenAt, other.wokenAt),
    diedAt: later(one.diedAt, other.diedAt),
    knownSince: later(one.knownSince, other.knownSince),
  };
}

/** Joins the parts that a person has under two names. All held tokens at one app become one part. */
export function joinParts(own: readonly AppPart[], others: readonly AppPart[]): AppPart[] {
  const joined = [...own];
  for (const other of others) {
    const at = joined.findIndex(({ role, clientId }) => role === other.role && clientId === other.clientId);
    const known = joined[at];
    if (known?.role === 'holder' && other.role === 'holder') joined[at] = sumOf(known, other);
    else joined.push(other);
  }
  return joined;
}
