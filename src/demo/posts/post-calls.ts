import { describeFailedCall, describeFailedWrite, type Failure } from '../failures.ts';
import { type FormFields, type OldApi, readAnswer } from '../old-api.ts';
import { addStep, type DemoSession, type Update } from '../session.ts';

/** The calls about posts as an old program makes them: forms, `profile_ids[]`, the token beside the fields. */

/** The posts that the page of one profile shows, or the failure that prevents the page. */
export type QueueResult = { updates: Update[]; total: number } | { failure: Failure };

const SHOWN = 10;

function updatesIn(value: unknown): Update[] {
  return Array.isArray(value) ? (value as Update[]) : [];
}

/** Reads the first posts that wait in the queue of a profile. */
export async function loadQueue(demo: DemoSession, oldApi: OldApi, profileId: string): Promise<QueueResult> {
  const path = `profiles/${encodeURIComponent(profileId)}/updates/pending.json?count=${SHOWN}`;
  const exchange = await oldApi.read(demo.token ?? '', path);
  addStep(demo, {
    title: 'The app reads the posts that wait',
    remark: 'The first ten of the queue of one profile.',
    ...exchange,
  });
  const failure = describeFailedCall(exchange.answer);
  if (failure) return { failure };
  const { updates, total } = Object(readAnswer(exchange.answer)) as { updates?: unknown; total?: unknown };
  return { updates: updatesIn(updates), total: Number(total ?? 0) };
}

/** One call that writes: its words on the page, its address below /1, and its form. */
interface WriteCall {
  title: string;
  remark: string;
  path: string;
  fields: FormFields;
  /** The page says this when the answer has no words. */
  done: string;
}

async function write(demo: DemoSession, oldApi: OldApi, call: WriteCall): Promise<Failure | undefined> {
  const { path, fields, title, remark, done } = call;
  const exchange = await oldApi.write(demo.token ?? '', path, fields);
  addStep(demo, { title, remark, ...exchange });
  const failure = describeFailedWrite(exchange.answer);
  if (failure) return failure;
  const { message } = Object(readAnswer(exchange.answer)) as { message?: unknown };
  demo.notice = typeof message === 'string' ? message : done;
  return undefined;
}

interface NewPost {
  profileIds: readonly string[];
  text: string;
}

/** Each function writes once and keeps the notice for the person. The result is the failure, if any. */
export interface PostCalls {
  create(post: NewPost): Promise<Failure | undefined>;
  change(id: string, text: string): Promise<Failure | undefined>;
  moveToTop(id: string): Promise<Failure | undefined>;
  /** The updates of a profile's queue in the wanted order. Updates that are not listed follow behind. */
  reorder(profileId: string, ids: readonly string[]): Promise<Failure | undefined>;
  destroy(id: string): Promise<Failure | undefined>;
}

/** The calls for the token of one browser. */
export function createPostCalls(demo: DemoSession, oldApi: OldApi): PostCalls {
  return {
    create: ({ profileIds, text }) =>
      write(demo, oldApi, {
        title: 'The app posts an update',
        remark: 'One form for all profiles; the token is a field of it.',
        path: 'updates/create.json',
        fields: [...profileIds.map((id) => ['profile_ids[]', id] as const), ['text', text]],
        done: 'The update was posted.',
      }),
    change: (id, text) =>
      write(demo, oldApi, {
        title: 'The app changes an update',
        remark: 'The new text takes the place of the old one.',
        path: `updates/${id}/update.json`,
        fields: [['text', text]],
        done: 'The update was changed.',
      }),
    moveToTop: (id) =>
      write(demo, oldApi, {
        title: 'The app moves an update to the top of the queue',
        remark: 'The answer is the update itself, with the time at which it is due now.',
        path: `updates/${id}/move_to_top.json`,
        fields: [],
        done: 'The update is the first of the queue.',
      }),
    reorder: (profileId, ids) =>
      write(demo, oldApi, {
        title: 'The app changes the order of the queue',
        remark: 'The ids in their new order, one field for each. The times of the queue stay.',
        path: `profiles/${profileId}/updates/reorder.json`,
        fields: ids.map((id) => ['order[]', id] as const),
        done: 'The queue is in the new order.',
      }),
    destroy: (id) =>
      write(demo, oldApi, {
        title: 'The app deletes an update',
        remark: 'Afterwards its id is not found.',
        path: `updates/${id}/destroy.json`,
        fields: [],
        done: 'The update was deleted.',
      }),
  };
}
