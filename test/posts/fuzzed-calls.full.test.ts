import { OLD_CALL_NAMES } from '../../src/domain/old-calls/old-calls.ts';
import { chanceOf } from '../verification/shared/faults/chance.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, sendRaw } from '../support/callers/raw-request.ts';
import { type Bakery, openBakery } from './support/bakery.ts';
import { BAKERY, CHANNELS, type RealPost, realPosts, RUNNERS } from './support/posts.ts';
import { type CallSource, EASY, type RandomCall, randomCall } from './support/random-call.ts';
import { testMode } from '../support/jest/test-mode.ts';

/**
 * Whatever the nineteen old calls say, no answer is a 500, and no post is made, changed or removed that the answer does not
 * speak of. `SEED=17` repeats one series.
 */

const SEEDS = process.env['SEED'] === undefined ? (testMode.isBrief ? 350 : 1000) : 1;
/** So often each call that writes is done. */
const LEAST = testMode.isBrief ? 1 : 3;
const FIRST = Number(process.env['SEED'] ?? 1);

let bakery: Bakery;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

type Posts = Map<string, RealPost>;

/** Every post of the account that was made since a time. */
async function postsSince(since: number): Promise<Posts> {
  const { context } = bakery.system.bridge;
  const lists = [BAKERY, RUNNERS].map((organizationId) =>
    realPosts(context, { apiUrl: bakery.system.proxy.origin, since, organizationId }),
  );
  return new Map((await Promise.all(lists)).flat().map((post) => [post.id, post]));
}

interface Answer {
  success?: boolean;
  error?: unknown;
  code?: unknown;
  message?: string;
  updates?: Array<{ id: string }>;
  update?: { id: string };
  id?: string;
}

const WRITES = /^(create|change|share|destroy|move|reorder|shuffle)/;
const CHANGES = /^(change|share|destroy|moveUpdate)/;

/** Refusals that are given before it is clear that the call writes have no `success`. */
const EARLY = [401, 404, 405, 406];

function isWholeRefusal({ name }: RandomCall, status: number, { error, code, success }: Answer): boolean {
  const isMarked = !WRITES.test(name) || success === false || EARLY.includes(status);
  return isMarked && typeof error === 'string' && typeof code === 'number';
}

/** What is wrong with the form of an answer, in words. */
function formOf(call: RandomCall, { status, json, text }: RawAnswer): string[] {
  const isEmpty = call.request.method === 'HEAD' || (status === 401 && text === '');
  if (isEmpty && status < 500) return [];
  const answer = (json ?? {}) as Answer;
  const isRight =
    status === 200
      ? answer.success !== false && !('error' in answer)
      : status < 500 && isWholeRefusal(call, status, answer);
  return isRight ? [] : [`was answered with ${status} ${text.slice(0, 300)}`];
}

const same = (one: RealPost | undefined, other: RealPost | undefined) =>
  one?.text === other?.text && one?.status === other?.status;

function toldIds({ name, updateId }: RandomCall, { updates = [] }: Answer): Set<string> {
  const ids = name === 'createUpdate' ? updates.map(({ id }) => id) : [];
  return new Set(CHANGES.test(name) && updateId !== undefined ? [updateId.toLowerCase()] : ids);
}

/** The posts of which an answer says that the call made, changed or removed them; all, where it says that it may have. */
function spokenOf(call: RandomCall, { status, json }: RawAnswer): (id: string) => boolean {
  const answer = (json ?? {}) as Answer;
  if (answer.message?.includes('may have been')) return () => true;
  const isDone = status === 200 && answer.success !== false && call.request.method !== 'HEAD';
  const told = isDone ? toldIds(call, answer) : new Set();
  return (id) => told.has(id);
}

/** What a call did of which its answer does not speak, and what it did not do of which its answer does. */
function strangeIn(
  call: RandomCall,
  answer: RawAnswer,
  { before, after }: { before: Posts; after: Posts },
): string[] {
  const isSpokenOf = spokenOf(call, answer);
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const silent = ids.filter((id) => !same(before.get(id), after.get(id)) && !isSpokenOf(id));
  const { updates } = (answer.json ?? {}) as Answer;
  const missing =
    call.name === 'createUpdate' && answer.status === 200
      ? (updates ?? []).filter(({ id }) => !after.has(id))
      : [];
  return [
    ...silent.map(
      (id) => `does not speak of the post ${id} (${after.has(id) ? 'made or changed' : 'removed'})`,
    ),
    ...missing.map(({ id }) => `speaks of the post ${id}, which is not there`),
  ];
}

const shown = ({ request }: RandomCall) =>
  `${request.method} ${request.path.slice(0, 300)} ${String(request.body ?? '').slice(0, 600)}`;

async function makePost(text: string, profileId: string, isDraft: boolean): Promise<string[]> {
  const { json } = await bakery.post('updates/create', [
    ['profile_ids[]', profileId],
    ['text', text],
    ['is_draft', String(isDraft)],
  ]);
  return json.updates?.map(({ id }) => id) ?? [];
}

/** Posts for the calls of a series to change: a draft, or two in a queue. No queue grows so long that nobody orders it. */
async function ownPosts(seed: number): Promise<Pick<CallSource, 'updateIds' | 'ownProfile'>> {
  const ownProfile = EASY[seed % EASY.length] ?? '';
  const isDraft = seed % 4 === 0;
  const first = await makePost(`Series ${seed}, first`, ownProfile, isDraft);
  const second = isDraft ? [] : await makePost(`Series ${seed}, second`, ownProfile, isDraft);
  return { updateIds: [...first, ...second], ownProfile };
}

const LONGEST_SERIES = 2;

/** What goes wrong in the series of one seed. */
async function play(seed: number, counts: Map<string, number>): Promise<string[]> {
  const chance = chanceOf(seed, 0);
  const since = Date.now() - 1;
  const own = await ownPosts(seed);
  let before = await postsSince(since);
  for (let left = chance.between(1, LONGEST_SERIES); left > 0; left -= 1) {
    const call = randomCall({ chance, token: bakery.token, ...own });
    const answer = await sendRaw(bakery.system.bridgeUrl, call.request);
    // What a read changed is seen behind the series, or behind its next write.
    const isLooked = WRITES.test(call.name) || left === 1;
    const after = isLooked ? await postsSince(since) : before;
    const wrong = [...formOf(call, answer), ...strangeIn(call, answer, { before, after })];
    if (wrong.length > 0) return wrong.map((what) => `SEED=${seed}: ${shown(call)} ${what}`);
    const key = `${call.name} ${answer.status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    before = after;
  }
  return [];
}

test(`${SEEDS} series of calls that were drawn by chance`, async () => {
  const failures: string[] = [];
  const counts = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + SEEDS && failures.length < 20; seed += 1)
    failures.push(...(await play(seed, counts)));
  expect(failures).toEqual([]);
  if (SEEDS === 1) return;
  for (const name of OLD_CALL_NAMES.filter((one) => WRITES.test(one)))
    expect(`${name}: ${(counts.get(`${name} 200`) ?? 0) >= LEAST}`).toBe(`${name}: true`);
}, 900_000);

test('a deauthorize, and the same token after it', async () => {
  const { system } = bakery;
  const app = await system.registerApp('https://other-app.example/callback');
  for (const way of ['POST', 'GET']) {
    const headers = { authorization: `Bearer ${await issueToken(system, { app })}` };
    const path = '/1/user/deauthorize.json';
    expect((await sendRaw(system.bridgeUrl, { method: way, path, headers })).status).toBe(200);
    for (let seed = 1; seed <= 20; seed += 1) {
      const { request } = randomCall({
        chance: chanceOf(seed, 1),
        token: headers.authorization.slice('Bearer '.length),
        updateIds: [],
        ownProfile: CHANNELS.twitter,
      });
      expect((await sendRaw(system.bridgeUrl, request)).status).toBeLessThan(500);
    }
  }
});
