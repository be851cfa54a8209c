import {
  addShadowCounts,
  clearShadowCounts,
  listShadowCounts,
} from '../../store/posts/shadow-differences.ts';
import { Unavailable } from '../../upstream/outcomes.ts';
import { compareObjects, compareProfiles, type Difference } from './compare-answers.ts';
import type { ReadsDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import type { Caller } from '../ids/match-ids.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { compareInSample } from './sampled-comparison.ts';
import { isKnownThere } from '../tokens/standing/from-before.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * LEGACY_SHADOW: a share of the reads that the bridge answered is sent to the old API too. An operator sees before the
 * retirement which answers would change. The comparison runs after the answer went out and fails no call.
 */

/** The field `*` counts the comparisons, and the reads that could not be compared. */
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

/** The profile with this id in a list; undefined where `old` is not a list or has no such profile. */
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

/** The differences to count. A token that the old API refuses counts as not answered. */
async function ask(
  context: ReadsDeps,
  { mapping, token }: Caller,
  ours: ShadowedAnswer,
): Promise<Array<{ field: string; difference: string }>> {
  const path = ours.read === 'user' ? ENDPOINTS.user : ENDPOINTS.profiles;
  const oldBackend = oldBackendUntilRetired(context, provenApp(mapping));
  const old = await oldBackend?.read(path, token, mapping.calling?.trace).catch((error: unknown) => {
    if (error instanceof Unavailable) return undefined;
    throw error;
  });
  if (old === undefined) return [{ field: ANY_FIELD, difference: NOT_ANSWERED }];
  return [{ field: ANY_FIELD, difference: COMPARED }, ...compare(old, ours)];
}

async function compareOnce(context: ReadsDeps, caller: Caller, ours: ShadowedAnswer): Promise<void> {
  const endpoint = ENDPOINTS[ours.read];
  const counted = (await ask(context, caller, ours)).map((one) => ({ endpoint, ...one }));
  await addShadowCounts(context.store, counted, context.clock.now());
}

/** Compares an answer that went out, if the sample includes the call. Returns at once. */
export function shadow(context: ReadsDeps, caller: Caller, ours: ShadowedAnswer): void {
  const { settings, shutdown } = context;
  const { mapping } = caller;
  if (!settings.shadow || !isKnownThere(mapping) || shutdown.signal.aborted) return;
  if (!oldBackendUntilRetired(context, provenApp(mapping))) return;
  compareInSample(context, { kind: 'shadow', compare: () => compareOnce(context, caller, ours) });
}

/** One field that the two APIs answer differently. */
interface FieldReport {
  endpoint: string;
  field: string;
  difference: string;
  /** The number of answers of the endpoint with this difference. */
  times: number;
  /** The number of answers of the endpoint that were compared. */
  compared: number;
  last_at: string;
}

/** The fields that the two APIs answer differently, the most frequent field of an endpoint first. */
export async function describeShadow(
  context: ReadsDeps,
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

/** Deletes all counts. The history tells who did it. */
export async function clearShadow(context: ReadsDeps, { actor, requestId }: Origin): Promise<void> {
  await clearShadowCounts(context.store);
  const change = { actor, requestId, action: 'shadow_cleared', reason: 'The counts begin anew.' };
  await context.store.transaction((tx) => recordEvent(context, tx, { ...change, at: context.clock.now() }));
}
