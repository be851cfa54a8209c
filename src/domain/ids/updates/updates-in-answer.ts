import { z } from 'zod';

/** The updates in an answer of the old API; pure. */

/** Ids of both APIs have this form. */
export const UPDATE_ID = /^[0-9a-f]{24}$/;

/** The old API lists no more updates at once. */
const MOST_UPDATES = 100;

const LATEST_SECOND = 32_503_679_999;

const update = z.object({
  id: z.string().regex(UPDATE_ID),
  profile_id: z.string().regex(/^[\w-]{1,64}$/),
  text: z.string(),
  due_at: z.coerce.number().int().min(1).max(LATEST_SECOND),
});

/** An update with the fields by which a post of the new API is recognized. */
export interface ShownUpdate {
  oldId: string;
  profileId: string;
  text: string;
  /** Unix milliseconds. */
  dueAt: number;
}

/** A list or a create has `updates`, a change has `update`, and other answers are the update itself. */
function candidatesIn(answer: Record<string, unknown>): unknown[] {
  if (Array.isArray(answer['updates'])) return answer['updates'].slice(0, MOST_UPDATES);
  return [answer['update'] ?? answer];
}

/** An entry that does not look like an update is left out, and the other entries stay. */
export function updatesIn(answer: unknown): ShownUpdate[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const shown = candidatesIn(answer as Record<string, unknown>).flatMap((one) => {
    const { data } = update.safeParse(one);
    if (!data) return [];
    const { id: oldId, profile_id: profileId, text, due_at: seconds } = data;
    return [{ oldId, profileId, text, dueAt: seconds * 1000 }];
  });
  return [...new Map(shown.map((one) => [one.oldId, one])).values()];
}
