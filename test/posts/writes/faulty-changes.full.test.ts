import type { FaultProxy, NetworkFault } from '../../verification/shared/faults/fault-proxy.ts';
import { nth, print } from '../../races/calls.ts';
import type { WriteCall } from '../../../src/store/tables/posts.ts';
import { modeDatabases } from '../../support/jest/test-mode.ts';
import type { RealPost } from '../support/posts.ts';
import {
  allPosts,
  call,
  create,
  journal,
  openStage,
  settleAll,
  type Stage,
  whatWasTold,
} from '../support/writes-under-faults.ts';

/**
 * Calls that change a post while the network between bridge and new API fails: none is done whose caller was told that it
 * failed, none is missing whose caller was told that it was done, and the journal says in the end what is really so.
 */

type ChangeCall = Exclude<WriteCall, 'create' | 'reorder' | 'shuffle'>;

type Posts = ReadonlyMap<string, RealPost>;

/** One change, and how to see whether it was done. */
interface Subject {
  call: ChangeCall;
  id: string;
  fields: Record<string, string>;
  isDone: (posts: Posts) => boolean;
}

type ToldChange = Subject & { what: 'posted' | 'failed' | 'in doubt' | 'gone' | 'nothing' };

/** Those of one list come at once. */
const FAULTS: NetworkFault[][] = [
  [{ kind: 'reset', at: 'open' }],
  [{ kind: 'reset', at: 'request' }],
  [{ kind: 'reset', at: 'answer' }],
  [{ kind: 'cut', direction: 'up', bytes: 120 }],
  [{ kind: 'cut', direction: 'down', bytes: 0 }],
  [{ kind: 'cut', direction: 'down', bytes: 400 }],
  [{ kind: 'slow', slice: 150, pauseMs: 5 }],
  [
    { kind: 'black-hole', direction: 'up' },
    { kind: 'black-hole', direction: 'down' },
  ],
];

/** Of each call under each fault. */
const TIMES = 3;

let stage: Stage;
let made = 0;

async function newPost(): Promise<string> {
  made += 1;
  const { postId } = await create(stage, nth(stage.bridges, 0).url, { text: `Crust ${made}`, fields: {} });
  if (postId === undefined) throw new Error('no post was made');
  return postId;
}

const dueOf = (posts: Posts, id: string) => Date.parse(posts.get(id)?.dueAt ?? '');

/** Of two posts the later one is moved: whoever else is moved leaves their order as it is. */
async function toBeMoved(): Promise<Subject> {
  const earlier = await newPost();
  const id = await newPost();
  const isDone = (posts: Posts) => dueOf(posts, id) < dueOf(posts, earlier);
  return { call: 'move_to_top', id, fields: {}, isDone };
}

const SUBJECTS: Record<ChangeCall, () => Promise<Subject>> = {
  async update() {
    const id = await newPost();
    const text = `Changed ${id}`;
    return { call: 'update', id, fields: { text }, isDone: (posts) => posts.get(id)?.text === text };
  },
  async share() {
    const id = await newPost();
    return { call: 'share', id, fields: {}, isDone: (posts) => posts.get(id)?.status === 'sent' };
  },
  async destroy() {
    const id = await newPost();
    return { call: 'destroy', id, fields: {}, isDone: (posts) => !posts.has(id) };
  },
  move_to_top: toBeMoved,
};

async function change(subject: Subject): Promise<ToldChange> {
  const { call: name, id, fields } = subject;
  try {
    const answer = await call(stage, nth(stage.bridges, 0).url, `updates/${id}/${name}`, fields);
    // A post that is gone may have gone by this call, and its caller wanted nothing else.
    const isGone = name === 'destroy' && answer.status === 404;
    return { ...subject, what: isGone ? 'gone' : whatWasTold(answer) };
  } catch {
    return { ...subject, what: 'nothing' };
  }
}

async function changeUnder(faults: NetworkFault[], proxy: FaultProxy): Promise<ToldChange[]> {
  const makers = Object.values(SUBJECTS).flatMap((make) => Array.from({ length: TIMES }, () => make));
  const subjects: Subject[] = [];
  for (const make of makers) subjects.push(await make());
  const series = subjects.flatMap((_, i) => faults[i % faults.length] ?? []);
  proxy.injectEach({ faults: series, beginning: 'POST ', containing: 'mutation Write' });
  const told = await Promise.all(subjects.map(change));
  proxy.clear();
  return told;
}

function faultOf({ call: name, id, what, isDone }: ToldChange, posts: Posts): string[] {
  const isWrong =
    (what === 'failed' && isDone(posts)) || ((what === 'posted' || what === 'gone') && !isDone(posts));
  return isWrong ? [`${name} ${id} was told as ${what}, which is not so`] : [];
}

/** Where the journal says something else of a change than what is there. */
async function lies(told: readonly ToldChange[], posts: Posts): Promise<string[]> {
  const rows = await journal(stage);
  return told.flatMap(({ call: name, id, isDone }) => {
    const row = rows.find((one) => one.call === name && one.post_id === id);
    const { state } = row ?? {};
    const saysDone = state === 'done' || state === 'found';
    const saysNot = state === 'refused' || state === 'not_found' || state === undefined;
    const isWrong = (saysDone && !isDone(posts)) || (saysNot && isDone(posts)) || state === 'sending';
    return isWrong ? [`the row of ${name} ${id} is ${state}`] : [];
  });
}

describe.each(modeDatabases)('changes on %s', (database) => {
  beforeAll(async () => {
    stage = await openStage({ database, count: 1 });
  });

  afterAll(() => stage.stop());

  test('none is done that was told as failed, and none is missing that was told as done', async () => {
    const told: ToldChange[] = [];
    for (const faults of FAULTS) told.push(...(await changeUnder(faults, stage.proxy)));
    await settleAll(stage);
    const posts: Posts = new Map((await allPosts(stage)).map((post) => [post.id, post]));
    const counted = [...new Set(told.map(({ what }) => what))].map(
      (kind) => `${kind} ${told.filter(({ what }) => what === kind).length}`,
    );
    print(counted.join(', '));
    expect(told.flatMap((one) => faultOf(one, posts))).toEqual([]);
    expect(await lies(told, posts)).toEqual([]);
    expect(new Set(told.map(({ what }) => what))).toEqual(new Set(['posted', 'failed', 'in doubt', 'gone']));
  });
});
