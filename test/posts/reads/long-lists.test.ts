import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive, knock } from '../../endpoints/support/knock.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import { numbersBetween, numbersOf, serveLong } from '../support/long-list.ts';
import { CHANNEL, connectReader, type Reader } from '../support/reader.ts';

/** How long a list is said to be, what its pages cost, and the pages behind its end. */

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

beforeEach(async () => {
  clock.advance(16 * MINUTE);
  await reader.get('/1/profiles.json');
  const { volatile } = door.bridge.context.store;
  // The account is known for the whole test, so that only lists are asked for.
  await volatile.updateTable('answers').set({ fetched_at: clock.now() }).execute();
  await volatile.deleteFrom('post_answers').execute();
});

afterEach(() => {
  door.proxy.insteadOfOther = undefined;
});

const untilNotFresh = () => clock.advance(MINUTE + 1000);

async function counts(): Promise<unknown> {
  const { json } = await reader.get(`/1/profiles/${CHANNEL}.json`);
  return (json as { counts: unknown }).counts;
}

describe.each(['pending', 'sent'])('the total of %s', (name) => {
  test.each([
    [3, 3],
    [45, 45],
    [100, 100],
    [130, 101],
  ])('of %s posts is %s, however few a caller asks for, with one request', async (length, total) => {
    serveLong(door, length);
    for (const parameters of ['', '?count=1', '?count=10&page=1', '?count=60']) {
      untilNotFresh();
      let told: number | undefined;
      const asked = await reader.asked(async () => {
        told = (await reader.list(`${name}.json${parameters}`)).total;
      });
      expect([told, asked]).toEqual([total, ['posts']]);
    }
    expect(await counts()).toEqual(length > 100 ? {} : { [name]: total });
  });
});

test('a program that fills the queue by the total comes to an end, and is told how long the queue is', async () => {
  serveLong(door, 45);
  expect((await reader.list('pending.json?count=1')).total).toBe(45);
  const form = new URLSearchParams({ 'profile_ids[]': CHANNEL, text: 'One more' }).toString();
  const headers = { authorization: `Bearer ${reader.token}` };
  const request = { method: 'POST', path: '/1/updates/create.json', ...rawForm(form, headers) };
  expect((await knock(door, request)).json).toMatchObject({ success: true, buffer_count: 46 });
});

test('a length that a later reading goes beyond is forgotten', async () => {
  serveLong(door, 45);
  await reader.list('pending.json');
  serveLong(door, 300);
  untilNotFresh();
  expect((await reader.list('pending.json')).total).toBe(101);
  expect(await counts()).toEqual({});
});

test('a length behind what is read stays until the end is read again', async () => {
  serveLong(door, 130);
  for (const page of [1, 2]) await reader.list(`pending.json?count=100&page=${page}`);
  untilNotFresh();
  expect((await reader.list('pending.json?count=1')).total).toBe(130);
});

describe('pages one after the other', () => {
  test.each([1, 7, 20, 30, 60, 100])(
    'of %s posts cost one request each where none is fresh, and have each post once',
    async (count) => {
      serveLong(door, 1000);
      const numbers: number[] = [];
      for (let page = 1; page <= 6; page += 1) {
        untilNotFresh();
        const asked = await reader.asked(async () => {
          numbers.push(...numbersOf(await reader.list(`pending.json?count=${count}&page=${page}`)));
        });
        expect(asked).toEqual(['posts']);
      }
      expect(numbers).toEqual(numbersBetween(0, 6 * count));
    },
  );

  test.each([1, 7, 20, 30, 60, 100])(
    'of %s posts cost a request for each hundred at most, while they are fresh',
    async (count) => {
      serveLong(door, 400);
      const pages = Math.min(40, Math.floor(300 / count));
      const asked = await reader.asked(async () => {
        for (let page = 1; page <= pages; page += 1)
          await reader.list(`pending.json?count=${count}&page=${page}`);
      });
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(pages / Math.floor(100 / count)));
    },
  );

  test('leave out no post when others leave the queue meanwhile', async () => {
    serveLong(door, 300);
    expect(numbersOf(await reader.list('pending.json'))).toEqual(numbersBetween(0, 20));
    serveLong(door, 300, { from: 5 });
    untilNotFresh();
    expect(numbersOf(await reader.list('pending.json?page=2'))).toEqual(numbersBetween(20, 40));
  });

  test.each([
    [7, 2, 10],
    [20, 3, 25],
  ])('of %s posts leave out none after %s pages that were fresh', async (count, fresh, gone) => {
    serveLong(door, 300);
    for (let page = 1; page <= fresh; page += 1)
      await reader.list(`pending.json?count=${count}&page=${page}`);
    serveLong(door, 300, { from: gone });
    untilNotFresh();
    const next = await reader.list(`pending.json?count=${count}&page=${fresh + 1}`);
    expect(numbersOf(next)).toEqual(numbersBetween(fresh * count, (fresh + 1) * count));
  });

  test('leave out none when somebody else reads far on meanwhile', async () => {
    serveLong(door, 600);
    for (const page of [1, 2]) await reader.list(`sent.json?page=${page}`);
    for (const page of [2, 3, 4, 5]) await reader.list(`sent.json?count=100&page=${page}`);
    serveLong(door, 600, { from: 25 });
    untilNotFresh();
    expect(numbersOf(await reader.list('sent.json?page=3'))).toEqual(numbersBetween(40, 60));
  });

  test('of a size that is no part of a hundred cost one request each, and count all that was read', async () => {
    serveLong(door, 300);
    for (const [page, total] of [
      [1, 101],
      [2, 161],
      [3, 221],
    ] as const) {
      const asked = await reader.asked(async () => {
        const listed = await reader.list(`pending.json?count=60&page=${page}`);
        expect([numbersOf(listed), listed.total]).toEqual([numbersBetween(60 * page - 60, 60 * page), total]);
      });
      expect(asked).toEqual(['posts']);
    }
  });

  test('cost one request where the hundred posts around it show the end', async () => {
    serveLong(door, 80);
    const asked = await reader.asked(async () => {
      const listed = await reader.list('pending.json?count=60&page=2');
      expect([numbersOf(listed), listed.total]).toEqual([numbersBetween(60, 80), 80]);
    });
    expect(asked).toEqual(['posts']);
  });

  test('of a new API that gives few at once ask for no more than the page', async () => {
    serveLong(door, 300, { most: 30 });
    expect(await reader.asked(() => reader.list('sent.json'))).toEqual(['posts']);
    expect(await reader.asked(() => reader.list('sent.json?count=50'))).toEqual(['posts', 'posts']);
  });
});

/** A call for a page that is refused. */
async function tooFar(): Promise<void> {
  const answer = await reader.get(`/1/profiles/${CHANNEL}/updates/sent.json?count=100&page=60`);
  expectRefusal(answer, 400, 1006);
  expect(answer.json).toMatchObject({ error: expect.stringContaining('page') });
}

test.each([100, 99, 45, 0])('a list of 130 posts that shrank to %s has that length', async (length) => {
  serveLong(door, 130);
  await reader.list('pending.json?count=100');
  serveLong(door, length);
  untilNotFresh();
  const answer = await reader.list('pending.json?count=100&page=2');
  expect(answer).toEqual({ total: length, updates: [] });
  expect(await counts()).toEqual({ pending: length });
});

test('what was read before a list shrank does not count when it grows again', async () => {
  serveLong(door, 300);
  for (const page of [1, 2, 3]) await reader.list(`pending.json?count=100&page=${page}`);
  const totals: number[] = [];
  for (const length of [120, 250]) {
    serveLong(door, length);
    untilNotFresh();
    totals.push((await reader.list('pending.json?count=100&page=2')).total);
  }
  expect(totals).toEqual([120, 201]);
});

test('a list that an earlier version kept is read on, and that version can read a list of this one', async () => {
  serveLong(door, 300);
  const { total } = await reader.list('pending.json?count=100');
  const { volatile } = door.bridge.context.store;
  const { id, body } = await volatile
    .selectFrom('post_answers')
    .select(['id', 'body'])
    .where('id', 'like', '%pending%')
    .executeTakeFirstOrThrow();
  const { startedAt, pages, marks } = JSON.parse(body) as Record<'startedAt' | 'pages' | 'marks', unknown>;
  expect(pages).toMatchObject([{ offset: 0, posts: expect.any(Array), readAt: expect.any(Number) }]);
  expect(marks).toEqual([{ offset: 100, cursor: 'c100' }]);
  const asEarlier = JSON.stringify({ startedAt, pages, marks });
  await volatile.updateTable('post_answers').set({ body: asEarlier }).where('id', '=', id).execute();
  expect((await reader.list('pending.json?count=100')).total).toBe(total);
  const asked = await reader.asked(async () =>
    expect(numbersOf(await reader.list('pending.json?count=100&page=2'))).toEqual(numbersBetween(100, 200)),
  );
  expect(asked).toEqual(['posts']);
});

test('of two calls at once for sent posts, one since a time, each gets its own answer by the same request', async () => {
  serveLong(door, 40);
  let told: Array<{ total: number; updates: unknown[] }> = [];
  const asked = await reader.asked(async () => {
    const calls = ['sent.json?count=50', `sent.json?count=50&since=${1_700_000_000 - 10}`];
    told = await Promise.all(calls.map((call) => reader.list(call)));
  });
  expect(told.map(({ total, updates }) => `${updates.length} of ${total}`)).toEqual(['40 of 40', '10 of 10']);
  expect(asked).toEqual(['posts']);
});

describe('a page far behind the last one that was read', () => {
  test.each([
    [0, {}, ['posts']],
    [3, {}, ['posts']],
    [100, {}, ['posts']],
    [45, { most: 30 }, ['posts', 'posts']],
  ])('is empty where the list has %s posts', async (length, limits, requests) => {
    serveLong(door, length, limits);
    for (const call of [
      'pending.json?page=30',
      'sent.json?count=100&page=90',
      'pending.json?since=9&page=99',
    ]) {
      const asked = await reader.asked(async () =>
        expect(await reader.list(call)).toEqual({ total: length, updates: [] }),
      );
      expect(asked).toEqual(requests);
      expect(await reader.asked(() => reader.list(call))).toEqual([]);
    }
  });

  test('is empty where a list that was read in many pages ends before it, also when that was long ago', async () => {
    serveLong(door, 750);
    for (let page = 1; page <= 8; page += 1) await reader.list(`sent.json?count=100&page=${page}`);
    clock.advance(30 * MINUTE);
    expect(await reader.list('sent.json?count=100&page=30')).toEqual({ total: 750, updates: [] });
  });

  test('is empty where the end was read, and then the beginning again', async () => {
    serveLong(door, 700);
    for (const page of [1, 2, 3, 4, 5, 6, 7, 1]) await reader.list(`sent.json?count=100&page=${page}`);
    expect(await reader.list('sent.json?count=100&page=60')).toEqual({ total: 700, updates: [] });
  });

  test('is refused where the list goes on, and costs nothing more until that may have changed', async () => {
    serveLong(door, 9000);
    expect(await reader.asked(tooFar)).toEqual(['posts']);
    expect(await reader.asked(tooFar)).toEqual([]);
    expect(await reader.asked(() => reader.list('sent.json'))).toEqual([]);
    untilNotFresh();
    expect(await reader.asked(tooFar)).toEqual(['posts']);
  });

  test('is refused where one answer does not show the end, and is empty once the end was read', async () => {
    serveLong(door, 700);
    await tooFar();
    for (let page = 1; page <= 7; page += 1) await reader.list(`sent.json?count=100&page=${page}`);
    expect(await reader.list('sent.json?count=100&page=60')).toEqual({ total: 700, updates: [] });
  });

  test('is read where the first request comes near enough', async () => {
    serveLong(door, 9000);
    expect(numbersOf(await reader.list('sent.json?count=20&page=30'))).toEqual(numbersBetween(580, 600));
  });
});
