import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive } from '../../endpoints/support/knock.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { said } from '../support/bakery.ts';
import { numbersBetween, numbersOf, serveLong } from '../support/long-list.ts';
import { CHANNEL, connectReader, type Reader } from '../support/reader.ts';

/** Lists whose hundred posts are too long to be kept, or to be read at once. */

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
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
});

afterEach(() => {
  door.proxy.insteadOfOther = undefined;
});

const path = (call: string) => `/1/profiles/${CHANNEL}/updates/${call}`;

async function longestKept(): Promise<number> {
  const kept = await door.bridge.context.store.volatile.selectFrom('post_answers').select('body').execute();
  return Math.max(...kept.map(({ body }) => body.length));
}

describe('more than 256 kB of text in a hundred posts', () => {
  test('cost one request a page, and all that was read counts', async () => {
    serveLong(door, 300, { textLength: 30_000 });
    const since = 1_700_000_000 - 5000;
    for (const [call, total] of [
      ['page=1', 101],
      [`page=1&since=${since}`, 101],
      ['count=1', 101],
      ['page=2', 121],
      ['page=3', 141],
    ] as const) {
      const asked = await reader.asked(async () =>
        expect((await reader.list(`sent.json?${call}`)).total).toBe(total),
      );
      expect(asked).toEqual(call.startsWith('page') && !call.includes('since') ? ['posts'] : []);
    }
    expect(await reader.asked(() => reader.list('sent.json?page=3'))).toEqual([]);
  });

  test('show how long a shorter list is', async () => {
    serveLong(door, 90, { textLength: 30_000 });
    for (const call of ['', '?count=1', `?since=${1_700_000_000 - 5000}`])
      expect((await reader.list(`sent.json${call}`)).total).toBe(90);
  });

  test('leave out no post when others leave the queue meanwhile', async () => {
    serveLong(door, 300, { textLength: 30_000 });
    await reader.list('pending.json');
    serveLong(door, 300, { from: 5, textLength: 30_000 });
    clock.advance(2 * MINUTE);
    expect(numbersOf(await reader.list('pending.json?page=2'))).toEqual(numbersBetween(20, 40));
  });

  test('show the end to who asks for a page behind it, and that costs nothing while it is fresh', async () => {
    serveLong(door, 90, { textLength: 30_000 });
    for (const requests of [['posts'], []]) {
      const asked = await reader.asked(async () =>
        expect(await reader.list('sent.json?page=30')).toEqual({ total: 90, updates: [] }),
      );
      expect(asked).toEqual(requests);
    }
    expect(await longestKept()).toBeLessThan(300 * 1024);
  });

  test('are not kept on the way to a page', async () => {
    serveLong(door, 700, { textLength: 30_000 });
    expect(numbersOf(await reader.list('sent.json?page=30'))).toEqual(numbersBetween(580, 600));
    expect(await longestKept()).toBeLessThan(20 * 30_000 * 1.1);
  });

  test('are not kept where a page is out of reach, and it costs one request still', async () => {
    serveLong(door, 9000, { textLength: 30_000 });
    for (const requests of [['posts'], []]) {
      const asked = await reader.asked(async () =>
        expectRefusal(await reader.get(path('sent.json?count=100&page=60')), 400, 1006),
      );
      expect(asked).toEqual(requests);
    }
    expect(await longestKept()).toBeLessThan(300 * 1024);
  });
});

describe('where a hundred posts do not come', () => {
  test('because their answer is too long, those of the page are asked for', async () => {
    serveLong(door, 100, { textLength: 60_000 });
    for (const page of [1, 2, 3, 4, 5]) {
      const asked = await reader.asked(async () => {
        const listed = await reader.list(`sent.json?page=${page}`);
        expect(numbersOf(listed)).toEqual(numbersBetween(20 * page - 20, 20 * page));
      });
      // From the third page on, what is left of the list is short enough.
      expect(asked).toEqual(page < 3 ? ['posts', 'posts'] : ['posts']);
    }
    expect((await reader.list('sent.json?count=20&page=5')).total).toBe(100);
  });

  test('because one of them cannot be read, the pages before it are there', async () => {
    serveLong(door, 300, { spoilt: 150 });
    for (const page of [1, 2, 3, 4, 5, 6, 7]) {
      const asked = await reader.asked(async () => {
        const listed = await reader.list(`pending.json?page=${page}`);
        expect(numbersOf(listed)).toEqual(numbersBetween(20 * page - 20, 20 * page));
      });
      expect(asked.length).toBeLessThanOrEqual(page < 6 ? 1 : 2);
    }
    const asked = await reader.asked(async () =>
      expectRefusal(await reader.get(path('pending.json?page=8')), 503, 1000),
    );
    expect(asked).toEqual(['posts', 'posts']);
  });

  test.each([
    ['fails', { status: 502, headers: {}, after: 0 }, '', ['posts', 'posts']],
    ['fails', { status: 502, headers: {}, after: 0 }, '?count=100', ['posts']],
    ['fails late', { status: 502, headers: {}, after: 11_000 }, '', ['posts']],
    ['asks to wait', { status: 429, headers: { 'retry-after': '5' }, after: 0 }, '', ['posts']],
  ])('because the new API %s (%j), %s asks for %j', async (_what, fault, call, requests) => {
    door.proxy.insteadOfOther = ({ body }) => {
      if (!body.includes('query Posts(')) return undefined;
      clock.advance(fault.after);
      return said(fault.status, '', fault.headers);
    };
    const asked = await reader.asked(async () =>
      expectRefusal(await reader.get(path(`sent.json${call}`)), 503, 1000),
    );
    expect(asked).toEqual(requests);
    clock.advance(MINUTE);
  });
});
