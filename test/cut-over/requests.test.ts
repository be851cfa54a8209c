import { REQUESTS_PER_CALL } from '../../src/domain/cut-over/request-costs.ts';
import { OLD_CALL_NAMES, type OldCallName } from '../../src/domain/posts/old-calls.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { expectAlive } from '../endpoints/support/knock.ts';
import { type RawRequest, rawForm, sendRaw } from '../support/raw-request.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { CHANNEL, connectReader, isoIn, type Reader } from '../posts/support/reader.ts';

/** The table of requests per old call that a cut-over is reckoned with, held against what the bridge sends. */

const MINUTE = 60_000;
const clock = new SettableClock();
let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ clock, accessTokenSeconds: 86_400 });
  reader = await connectReader(door);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const post = (path: string, fields: Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  path,
  ...rawForm(new URLSearchParams(fields).toString()),
});

const newPost = () => reader.create({ mode: 'customScheduled', dueAt: isoIn(3_600_000) });

const queue = `/1/profiles/${CHANNEL}`;
const photo = { 'media[photo]': 'https://images.example/cake.png' };

/** A call of each name, in its dearest form; `id` is that of a post. Those of before the cut-over are there already. */
const CALLS: Partial<Record<OldCallName, (id: string) => RawRequest>> = {
  schedules: () => ({ path: `${queue}/schedules.json` }),
  updateSchedules: () => post(`${queue}/schedules/update.json`),
  pendingUpdates: () => ({ path: `${queue}/updates/pending.json?count=100` }),
  sentUpdates: () => ({ path: `${queue}/updates/sent.json?count=100` }),
  reorderUpdates: (id) => post(`${queue}/updates/reorder.json`, { 'order[]': id }),
  shuffleUpdates: () => post(`${queue}/updates/shuffle.json`),
  createUpdate: () => post('/1/updates/create.json', { 'profile_ids[]': CHANNEL, text: 'Cake', ...photo }),
  update: (id) => ({ path: `/1/updates/${id}.json` }),
  interactions: (id) => ({ path: `/1/updates/${id}/interactions.json` }),
  changeUpdate: (id) => post(`/1/updates/${id}/update.json`, { text: 'Cake with cream', ...photo }),
  shareUpdate: (id) => post(`/1/updates/${id}/share.json`),
  destroyUpdate: (id) => post(`/1/updates/${id}/destroy.json`),
  moveUpdateToTop: (id) => post(`/1/updates/${id}/move_to_top.json`),
  shares: () => ({ path: '/1/links/shares.json?url=https%3A%2F%2Fcake.example' }),
  configuration: () => ({ path: '/1/info/configuration.json' }),
};

const THERE_ALREADY: readonly OldCallName[] = ['user', 'profiles', 'profile', 'deauthorize'];

test('each of the nineteen calls stands in the table of this test, or is there already', () => {
  expect([...THERE_ALREADY, ...Object.keys(CALLS)].toSorted()).toEqual(OLD_CALL_NAMES.toSorted());
  expect(THERE_ALREADY.map((name) => REQUESTS_PER_CALL[name])).toEqual([0, 0, 0, 0]);
});

/** Nothing is cached, no window of a budget is running, and the account was read a few minutes ago. */
async function startAnew(): Promise<void> {
  await reader.get('/1/profiles.json');
  clock.advance(16 * MINUTE);
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
}

/** What the new API was asked for by the bridge, in how many requests. */
async function requestsOf(request: RawRequest): Promise<{ requests: number; status: number }> {
  const before = door.proxy.readings().length;
  const headers = { ...request.headers, authorization: `Bearer ${reader.token}` };
  const { status } = await sendRaw(door.bridgeUrl, { ...request, headers });
  return { requests: door.proxy.readings().length - before, status };
}

/** At most so many moves and a look, whatever the queue holds. */
const BOUNDED: readonly OldCallName[] = ['reorderUpdates', 'shuffleUpdates'];

test.each(Object.keys(CALLS) as OldCallName[])('%s costs what the table says', async (name) => {
  const id = await newPost();
  await startAnew();
  const { requests, status } = await requestsOf(CALLS[name]!(id));
  if (!BOUNDED.includes(name)) expect(status).toBe(name === 'updateSchedules' ? 400 : 200);
  if (BOUNDED.includes(name)) expect(requests).toBeLessThanOrEqual(REQUESTS_PER_CALL[name]);
  else expect(requests).toBe(REQUESTS_PER_CALL[name]);
});
