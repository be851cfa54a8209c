import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive } from '../../endpoints/support/knock.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { said } from '../support/bakery.ts';
import { CHANNEL, connectReader, idsOf, isoIn, type Reader } from '../support/reader.ts';

/** Answers of the new API in which an error hides a part: null stands where the schema allows it, and the rest is there. */

const HOUR = 3_600_000;

const clock = new SettableClock();
let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ clock, accessTokenSeconds: 86_400 });
  reader = await connectReader(door);
  await reader.create({ mode: 'customScheduled', dueAt: isoIn(24 * HOUR) });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

beforeEach(() => clock.advance(16 * 60_000));

afterEach(() => {
  door.proxy.insteadOfOther = undefined;
  door.proxy.onOtherAnswer = undefined;
});

const LIST = `/1/profiles/${CHANNEL}/updates/pending.json`;

const errorAt = (path: ReadonlyArray<string | number>, code: string) => [
  { message: 'no', path, extensions: { code } },
];

const isOfPosts = ({ body }: { body: string }) => /"query":"query Posts?\(/.test(body);

describe.each(['UNEXPECTED', 'NOT_FOUND'])('an error with the code %s in one post', (code) => {
  test('that takes the whole list away makes no empty list', async () => {
    const listed = await reader.list('pending.json');
    expect(idsOf(listed).length).toBeGreaterThan(0);
    clock.advance(61_000);
    const posts = { edges: null, pageInfo: { endCursor: null, hasNextPage: false } };
    const errors = errorAt(['posts', 'edges', 0, 'node', 'assets'], code);
    door.proxy.insteadOfOther = (call) =>
      isOfPosts(call) ? said(200, { data: { posts }, errors }) : undefined;
    const last = await reader.get(LIST);
    expect([last.status, last.headers['age'], idsOf(last.json as never)]).toEqual([200, '61', idsOf(listed)]);
    expectRefusal(await reader.get(LIST.replace('pending', 'sent')), 503, 1000);
  });

  test('that takes the one post away does not say that the post is gone', async () => {
    const errors = errorAt(['post', 'assets'], code);
    door.proxy.insteadOfOther = (call) => (isOfPosts(call) ? said(200, { data: null, errors }) : undefined);
    expectRefusal(await reader.get(`/1/updates/${'a'.repeat(24)}.json`), 503, 1000);
  });
});

test.each(['UNEXPECTED', 'NOT_FOUND', 'FORBIDDEN'])(
  'an error with the code %s that hides one field leaves the rest of the answer',
  async (code) => {
    door.proxy.onOtherAnswer = (call, answer) => {
      const body = JSON.parse(answer.body.toString()) as { data: { account?: object } };
      if (!call.body.includes('query Read')) return answer;
      const data = { ...body.data, account: { ...body.data.account, preferences: null } };
      return said(200, { data, errors: errorAt(['account', 'preferences'], code) });
    };
    const answer = await reader.get('/1/user.json');
    expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
    expect(answer.json).toMatchObject({ week_starts_monday: false });
  },
);
