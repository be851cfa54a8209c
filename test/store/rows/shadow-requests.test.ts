import { takeShadowRequests } from '../../../src/store/posts/shadow-requests.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** The budget of comparisons is one for all processes, however many take of it at once. */

const DAY = 86_400_000;
const NOW = 100 * DAY;

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
  });

  afterAll(() => stores.close());

  const take = (number: number, now: number, requests = 1) =>
    takeShadowRequests(number % 2 === 0 ? stores.one : stores.two, {
      modernClientId: 'client',
      requests,
      limit: 5,
      since: now - DAY,
      now,
    });

  test('of many at once as many win as the limit has, and a day later anew', async () => {
    const first = await Promise.all(Array.from({ length: 20 }, (_, number) => take(number, NOW)));
    expect(first.filter(Boolean)).toHaveLength(5);
    expect(await take(0, NOW + DAY - 1)).toBe(false);
    const later = await Promise.all(Array.from({ length: 20 }, (_, number) => take(number, NOW + DAY, 2)));
    expect(later.filter(Boolean)).toHaveLength(2);
  });

  test('a count that a wrong clock dated into the future is over', async () => {
    expect(await take(0, NOW + 50 * DAY)).toBe(true);
    expect(await take(1, NOW + 2 * DAY)).toBe(true);
  });
});
