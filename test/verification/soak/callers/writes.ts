import { type RawAnswer, rawForm } from '../../../support/callers/raw-request.ts';
import { type Told, whatWasTold } from '../../../posts/support/writes-under-faults.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { type SoakApp, someLive } from '../fleet.ts';
import type { SoakRun } from '../run.ts';
import { otherCall } from './other-call.ts';

/** What was told of a create, and whose post it is. */
type SoakTold = Told & { app: SoakApp };

/** Writes of posts: creates, each with a text of its own, and destructions of some. */
export interface WriteBook {
  told: SoakTold[];
  /** Texts of posts that somebody wanted to be gone. */
  destroyed: Set<string>;
  /** Texts of posts of which a caller was told that they are not there any more. */
  gone: Set<string>;
  /** Writes of which nobody knew, and when. */
  doubts: number[];
}

export const openWriteBook = (): WriteBook => ({
  told: [],
  destroyed: new Set(),
  gone: new Set(),
  doubts: [],
});

const ALLOWED = [200, 401, 503];

function formFor(path: string, token: string, fields: Record<string, string>) {
  const form = rawForm(new URLSearchParams(fields).toString(), { authorization: `Bearer ${token}` });
  return { method: 'POST', path, ...form };
}

function poster(run: SoakRun, chance: Chance): { app: SoakApp; token: string } | undefined {
  const apps = run.fleet.apps.filter(({ holder }) => holder.mayPost);
  return someLive({ ...run.fleet, apps }, chance);
}

/** A doubt is told with 500 and in words; it needs a cause, which is looked for in the end. */
const isDoubt = (answer: RawAnswer): boolean =>
  answer.status === 500 && answer.json instanceof Object && whatWasTold(answer) === 'in doubt';

const NOT_FOUND = 1020;

/**
 * What a destroy is answered whose own answer was lost, where a look finds no such post: nobody knows who removed it. It
 * needs a cause as each doubt does.
 */
const isGone = ({ status, json }: RawAnswer): boolean =>
  status === 404 && (json as { code?: number } | undefined)?.code === NOT_FOUND;

interface MeantWrite {
  what: string;
  request: ReturnType<typeof formFor>;
  isUnsure?: (answer: RawAnswer) => boolean;
}

async function write(run: SoakRun, chance: Chance, { isUnsure = isDoubt, ...meant }: MeantWrite) {
  const answer = await otherCall(run, chance, { ...meant, allowed: ALLOWED, isRight: isUnsure });
  if (answer && isUnsure(answer)) run.writes.doubts.push(Date.now());
  return answer;
}

/** Makes a draft with a text that no other has. */
export async function createPost(run: SoakRun, chance: Chance): Promise<void> {
  const found = poster(run, chance);
  if (!found) return;
  const { app, token } = found;
  const text = `Soaked crumb ${run.writes.told.length} of ${run.options.seed}`;
  const told: SoakTold = { text, what: 'nothing', postId: undefined, app };
  run.writes.told.push(told);
  const fields = { 'profile_ids[]': app.holder.profile, text, is_draft: 'true' };
  const answer = await write(run, chance, {
    what: 'create',
    request: formFor('/1/updates/create.json', token, fields),
  });
  if (!(answer?.json instanceof Object)) return;
  if (answer.status === 401) app.isRefused = true;
  const { updates } = answer.json as { updates?: Array<{ id: string }> };
  Object.assign(told, { what: whatWasTold(answer), postId: updates?.[0]?.id });
}

/** Destroys one of the posts that were made. */
export async function destroyPost(run: SoakRun, chance: Chance): Promise<void> {
  const { told, destroyed } = run.writes;
  const there = told.filter(
    ({ text, postId, app }) => postId !== undefined && app.live.length > 0 && !destroyed.has(text),
  );
  if (there.length === 0) return;
  const { text, postId, app } = chance.pick(there);
  destroyed.add(text);
  const request = formFor(`/1/updates/${postId}/destroy.json`, chance.pick(app.live), {});
  const isUnsure = (answer: RawAnswer) => isDoubt(answer) || isGone(answer);
  const answer = await write(run, chance, { what: 'destroy', request, isUnsure });
  if (answer && isGone(answer)) run.writes.gone.add(text);
}
