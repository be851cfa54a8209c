import {
  addShadowCounts,
  clearShadowCounts,
  listShadowCounts,
} from '../../store/posts/shadow-differences.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { compareObjects, compareProfiles, type Difference } from './compare-answers.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../ids/match-ids.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { isKnownThere } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * LEGACY_SHADOW: a share of the reads that the bridge has answered is asked of the old backend too, so that an operator
 * sees before the retirement what would change. It runs after the answer went out and fails no call.
 */

/** The share of reads that is compared. */
const SHARE = 0.1;

/** So many comparisons run at a time in one process; the others are left out. */
const AT_ONCE = 2;

/** What the field `*` counts: comparisons, and those that could not be made. */
export const ANY_FIELD = '*';
export const COMPARED = 'compared';
export const NOT_ANSWERED = 'not answered';

const ENDPOINTS = {
  user: '/1/user.json',
  profiles: '/1/profiles.json',
  profile: '/1/profiles/:id.json',
} as const;

/** The answer of the bridge to one read. */
type ShadowedAnswer =
  | { read: 'user'; answer: object }
  | { read: 'profiles'; answer: readonly object[] }
  | { read: 'profile'; answer: { id: string } };

/** The one profile of a list; undefined where the list is none, or without it. */
function profileIn(old: unknown, id: string): unknown {
  const profiles: unknown[] = Array.isArray(old) ? old : [];
  return profiles.find((one) => typeof one === 'object' && one !== null && 'id' in one && one.id === id);
}

function compare(old: unknown, ours: ShadowedAnswer): Difference[] {
  if (ours.read === 'user') return compareObjects(old, ours.answer, 'user');
  if (ours.read === 'profiles') return compareProfiles(old, ours.answer);
  const profile = profileIn(old, ours.answer.id);
  if (profile === undefined) return [{ field: 'profile', difference: 'added' }];
  return compareObjects(profile, ours.answer, 'profile');
}

/** What is to be counted; a token that the old backend refuses was not answered either. */
async function ask(
  context: Context,
  { mapping, token }: Caller,
  ours: ShadowedAnswer,
): Promise<Array<{ field: string; difference: string }>> {
  const path = ours.read === 'user' ? ENDPOINTS.user : ENDPOINTS.profiles;
  const oldBackend = oldBackendUntilRetired(context, provenApp(mapping));
  const old = await oldBackend?.read(path, token).catch((error: unknown) => {
    if (error instanceof Unavailable) return undefined;
    throw error;
  });
  if (old === undefined) return [{ field: ANY_FIELD, difference: NOT_ANSWERED }];
  return [{ field: ANY_FIELD, difference: COMPARED }, ...compare(old, ours)];
}

async function compareOnce(context: Context, caller: Caller, ours: ShadowedAnswer): Promise<void> {
  const endpoint = ENDPOINTS[ours.read];
  const counted = (await ask(context, caller, ours)).map((one) => ({ endpoint, ...one }));
  await addShadowCounts(context.store, counted, context.clock.now());
}

/** Compares an answer that went out, if it is one of the sample; waits for nothing. */
export function shadow(context: Context, caller: Caller, ours: ShadowedAnswer): void {
  const { settings, flights, shutdown } = context;
  const { mapping } = caller;
  if (!settings.shadow || !isKnownThere(mapping) || shutdown.signal.aborted) return;
  if (!oldBackendUntilRetired(context, provenApp(mapping))) return;
  const drawn = context.chance() / SHARE;
  if (drawn >= 1) return;
  // A place that is taken gives back the comparison that runs there, and this one is left out.
  const place = Math.floor(drawn * AT_ONCE);
  flights
    .run(`shadow ${place}`, () => compareOnce(context, caller, ours))
    .catch((error: unknown) => {
      context.logger.warn('two answers could not be compared', { error });
    });
}

/** One field in which the two generations answer differently. */
interface FieldReport {
  endpoint: string;
  field: string;
  difference: string;
  /** In so many answers of the endpoint. */
  times: number;
  /** So many answers of the endpoint were compared. */
  compared: number;
  last_at: string;
}

/** Where the two generations answer differently, the most frequent of an endpoint first. */
export async function describeShadow(
  context: Context,
): Promise<{ compared: number; notAnswered: number; differences: FieldReport[] }> {
  const counts = await listShadowCounts(context.store);
  const totals = counts.filter(({ field }) => field === ANY_FIELD);
  const sum = (of: string, endpoint?: string) =>
    totals
      .filter((row) => row.difference === of && (endpoint === undefined || row.endpoint === endpoint))
      .reduce((total, { times }) => total + times, 0);
  const differences = counts
    .filter(({ field }) => field !== ANY_FIELD)
    .map(({ last_at, ...row }) => ({
      ...row,
      compared: sum(COMPARED, row.endpoint),
      last_at: new Date(last_at).toISOString(),
    }));
  return { compared: sum(COMPARED), notAnswered: sum(NOT_ANSWERED), differences };
}

/** Begins the counts anew. */
export async function clearShadow(context: Context): Promise<void> {
  await clearShadowCounts(context.store);
}
