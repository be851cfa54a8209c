import { EventEmitter, once } from 'node:events';
import type { Answer } from '../../support/servers/forward.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { CHANNELS } from '../support/posts.ts';

/** A create for two Pinterest profiles, each of which has boards of its own. */

/** Profiles of other services, which the new API tells to be of Pinterest. Of the second alone it tells boards. */
const SECOND = CHANNELS.threads;
const MORE_PINS = [SECOND, CHANNELS.linkedin, CHANNELS.bluesky, CHANNELS.tiktok];

let system: System;
let token: string;
let tellsBoards = true;
let mayReadBoards = true;

const FORBIDDEN = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({ data: {}, errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] }),
  ),
};

interface Told {
  data: Record<string, Array<{ id: string; service?: string; metadata?: unknown }>>;
}

function withSecond({ body }: { body: string }, answer: Answer): Answer {
  if (!body.includes('query Read') && !body.includes('query Boards')) return answer;
  const told = JSON.parse(answer.body.toString()) as Told;
  for (const channel of Object.values(told.data).flat()) {
    if (!MORE_PINS.includes(channel.id)) continue;
    if (!body.includes('query Boards')) channel.service = 'pinterest';
    else if (channel.id === SECOND) channel.metadata = { boards: [{ serviceId: 'knits', name: 'Knits' }] };
  }
  return { ...answer, body: Buffer.from(JSON.stringify(told)) };
}

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
  system.proxy.onOtherAnswer = withSecond;
  system.proxy.insteadOfOther = ({ body }) => {
    if (!body.includes('query Boards')) return undefined;
    if (!mayReadBoards) return FORBIDDEN;
    return tellsBoards ? undefined : { status: 503, headers: {}, body: Buffer.from('') };
  };
  token = await issueToken(system);
});

afterAll(() => system.stop());

beforeEach(async () => {
  tellsBoards = true;
  mayReadBoards = true;
  await system.bridge.context.store.volatile.deleteFrom('post_answers').execute();
});

/** The answer, the board that each profile's post was sent with, and the number of readings of boards. */
async function create(boards: readonly string[], profiles: readonly string[] = [CHANNELS.pinterest, SECOND]) {
  const before = system.proxy.readings().length;
  const form = new URLSearchParams([
    ...profiles.map((id): [string, string] => ['profile_ids[]', id]),
    ...boards.map((id): [string, string] => ['subprofile_ids[]', id]),
    ['text', 'Pin'],
    ['media[photo]', 'https://images.example/bread.png'],
  ]).toString();
  const request = { method: 'POST', path: '/1/updates/create.json' };
  const authorization = { authorization: `Bearer ${token}` };
  const { json } = await sendRaw(system.bridgeUrl, { ...request, ...rawForm(form, authorization) });
  const sent = system.proxy.readings().slice(before);
  const writes = sent.filter(({ body }) => body.includes('createPost'));
  const inputs = writes.map(
    ({ body }) => (JSON.parse(body) as { variables: { input: Input } }).variables.input,
  );
  return {
    message: (json as { message: string }).message,
    boards: new Map(
      inputs.map(({ channelId, metadata }) => [channelId, metadata?.pinterest?.boardServiceId]),
    ),
    readings: sent.filter(({ body }) => body.includes('query Boards')).length,
  };
}

interface Input {
  channelId: string;
  metadata?: { pinterest?: { boardServiceId?: string } };
}

test('each profile gets the board of its own, for one reading of the boards', async () => {
  const first = await create(['knits', 'cakes']);
  expect(first.boards).toEqual(
    new Map([
      [CHANNELS.pinterest, 'cakes'],
      [SECOND, 'knits'],
    ]),
  );
  expect(first.readings).toBe(1);
  expect((await create(['cakes', 'knits'])).readings).toBe(0);
});

test('one profile takes its own of the boards that a program names at each call', async () => {
  expect((await create(['knits', 'cakes'], [SECOND])).boards).toEqual(new Map([[SECOND, 'knits']]));
});

test('a profile without a board among them is refused by itself, and so is one with two', async () => {
  const alone = await create(['cakes']);
  expect(alone.boards).toEqual(new Map([[CHANNELS.pinterest, 'cakes']]));
  expect(alone.message).toMatch(/subprofile_ids names no board of this profile\./);
  const two = await create(['cakes', 'breads', 'knits']);
  expect(two.boards).toEqual(new Map([[SECOND, 'knits']]));
  expect(two.message).toMatch(/subprofile_ids can name one board of a Pinterest profile only\./);
});

test('a board that nobody knows is left to the new API, and one board for one profile costs no reading', async () => {
  expect((await create(['new'], [CHANNELS.pinterest])).readings).toBe(0);
  expect((await create(['new', 'knits'])).boards.get(CHANNELS.pinterest)).toBe('new');
});

test('a board that nobody knows is told where the profile takes one of its own', async () => {
  const alone = await create(['cakes', 'typo'], [CHANNELS.pinterest]);
  expect(alone.boards).toEqual(new Map([[CHANNELS.pinterest, 'cakes']]));
  expect(alone.message).toMatch(
    /Left out for .*: each board of subprofile_ids that no profile is known to have\.$/,
  );
  const taken = await create(['new', 'knits']);
  expect(taken.boards.get(CHANNELS.pinterest)).toBe('new');
  expect(taken.message).not.toMatch(/Left out/);
});

test('where the boards cannot be read, only the profiles that need them are not posted to', async () => {
  tellsBoards = false;
  const { message, boards } = await create(['knits', 'cakes'], [CHANNELS.twitter, CHANNELS.pinterest]);
  expect([...boards.keys()]).toEqual([CHANNELS.twitter]);
  expect(message).toMatch(/^The update was added to the queue for 1 of 2 profiles\. Nothing was posted to /);
});

test('many profiles that need boards ask for them once, also in vain', async () => {
  tellsBoards = false;
  const profiles = [CHANNELS.pinterest, ...MORE_PINS, CHANNELS.twitter];
  const { boards, readings } = await create(['knits', 'cakes'], profiles);
  expect([[...boards.keys()], readings]).toEqual([[CHANNELS.twitter], 1]);
});

test('a profile that needs no boards does not wait behind those that do', async () => {
  const tweets = new EventEmitter();
  const tweeted = once(tweets, 'tweet');
  system.proxy.onOtherCall = async ({ body }) => {
    if (body.includes('createPost') && body.includes(CHANNELS.twitter)) tweets.emit('tweet');
    if (body.includes('query Boards')) await tweeted;
  };
  const profiles = [CHANNELS.pinterest, ...MORE_PINS, CHANNELS.twitter];
  const { boards } = await create(['knits', 'cakes'], profiles);
  system.proxy.onOtherCall = undefined;
  expect(new Set(boards.keys())).toEqual(new Set([CHANNELS.twitter, CHANNELS.pinterest, SECOND]));
});

test('whoever may not read boards may name one for both, and the new API judges', async () => {
  mayReadBoards = false;
  const { boards, message } = await create(['knits']);
  expect([...boards.values()]).toEqual(['knits', 'knits']);
  expect(message).not.toMatch(/went wrong/);
});

test('of several boards that may not be read nobody knows which is whose, and the missing right is told', async () => {
  mayReadBoards = false;
  const { boards, message } = await create(['knits', 'cakes']);
  expect([[...boards.keys()], message]).toEqual([[], 'Not within application scope.']);
});
