import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../../src/domain/old-calls/old-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { type Bakery, openBakery } from './support/bakery.ts';
import { CHANNELS } from './support/posts.ts';
import { testMode } from '../support/jest/test-mode.ts';

/**
 * Whatever one parameter of an old call holds, the call takes about as long as one that holds as many plain letters: the
 * process does nothing else meanwhile.
 */

let bakery: Bakery;
let updateId: string;

beforeAll(async () => {
  bakery = await openBakery();
  updateId = (await bakery.create('The update of the calls')).json.updates?.[0]?.id ?? '';
});

afterAll(() => bakery.system.stop());

/** What takes longer than its size grows in proportion to does so far more at a third of it already. */
const SIZE = testMode.isBrief ? 70_000 : 200_000;

const filled = (unit: string, size = SIZE) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

const UNITS = [
  '00:00',
  ' ',
  '0',
  'a,',
  ',',
  '[',
  '%25',
  '"\\',
  '://',
  '.',
  '\n',
  'access_token',
  '\u{1f950}',
];

/** The end keeps a pattern from matching as a whole. */
const hostile = UNITS.flatMap((unit) => [filled(unit), `1 ${filled(unit)} x`]);

const CONTENT = [
  'text',
  'now',
  'top',
  'shorten',
  'attachment',
  'scheduled_at',
  'utc',
  'media',
  ...['photo', 'picture', 'thumbnail', 'video', 'link', 'title', 'description', 'odd'].map(
    (name) => `media[${name}]`,
  ),
];

const LIST = ['page', 'count', 'since', 'utc', 'filter'];

const FIELDS: Partial<Record<OldCallName, readonly string[]>> = {
  createUpdate: [
    ...CONTENT,
    'is_draft',
    'profile_ids',
    'profile_ids[]',
    'subprofile_ids',
    'subprofile_ids[]',
    'retweet',
    'retweet[tweet_id]',
    'retweet[comment]',
  ],
  changeUpdate: CONTENT,
  pendingUpdates: LIST,
  sentUpdates: LIST,
  update: ['utc'],
  reorderUpdates: ['order', 'order[]', 'offset', 'utc'],
  shuffleUpdates: ['count', 'utc'],
  interactions: [...LIST, 'event'],
  updateSchedules: ['schedules', 'schedules[0][days][]'],
  profiles: ['subprofiles'],
  shares: ['url', 'callback'],
};

/** What a call needs besides, so that the parameter is read. */
function neededBy(name: OldCallName, field: string): string {
  const all = { text: 'x', ...(name === 'createUpdate' ? { 'profile_ids[]': CHANNELS.twitter } : {}) };
  const others = Object.entries(all).filter(([key]) => key.split('[')[0] !== field.split('[')[0]);
  return CONTENT.includes(field) || name === 'createUpdate'
    ? `${new URLSearchParams(others).toString()}&`
    : '';
}

const pathOf = (name: OldCallName) => {
  const [path] = OLD_CALLS[name].paths;
  const id = path.startsWith('/1/updates') ? updateId : CHANNELS.bluesky;
  return `${path.replace(':id', id)}.json`;
};

interface Call {
  name: OldCallName;
  field: string;
  value: string;
}

/** One call in the form of a body, which every call reads; how long it took, in milliseconds. */
async function timeOf({ name, field, value }: Call): Promise<number> {
  const form = `${neededBy(name, field)}${new URLSearchParams([[field, value]]).toString()}`;
  const start = performance.now();
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: pathOf(name),
    ...rawForm(form, { authorization: `Bearer ${bakery.token}` }),
  });
  expect(answer.status).toBeLessThan(500);
  return performance.now() - start;
}

const ATTEMPTS = 3;

/** Less than this is never slow. */
const SOON = 1000;

/** Slow is what each time takes far longer than a call of the same size right before it, however busy the machine is. */
async function isSlow(call: Call): Promise<boolean> {
  if ((await timeOf(call)) < SOON) return false;
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const plain = await timeOf({ ...call, value: filled('x') });
    if ((await timeOf(call)) < SOON + 20 * plain) return false;
  }
  return true;
}

/** A deauthorize would end the token of the others; it reads its parameters as they do. */
const calls = OLD_CALL_NAMES.filter((name) => name !== 'deauthorize');

test.each(calls)(
  `%s takes no longer for a hostile value of ${SIZE} bytes`,
  async (name) => {
    const slow: string[] = [];
    for (const field of FIELDS[name] ?? ['utc'])
      for (const value of hostile)
        if (await isSlow({ name, field, value })) slow.push(`${field}=${value.slice(0, 30)}`);
    expect(slow).toEqual([]);
  },
  300_000,
);

test.each(calls)(
  `%s takes no longer for a hostile name of ${SIZE} bytes`,
  async (name) => {
    const slow: string[] = [];
    for (const start of ['', 'media[', 'order[', 'profile_ids['])
      for (const end of hostile)
        if (await isSlow({ name, field: `${start}${end}`, value: 'x' }))
          slow.push(`${start}${end.slice(0, 30)}`);
    expect(slow).toEqual([]);
  },
  300_000,
);
