import { insertEvents, oldestUnchained } from '../../../../src/store/history/events.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** Each scrape asks for the oldest entry that waits to be sealed, however long the history is. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
  await insertEvents(
    stores.one.durable,
    Array.from({ length: 50 }, (_, at) => ({ at, actor: 'a', action: 'b' })),
  );
});

afterAll(() => stores.close());

test('the oldest entry that waits is found by indexes, without a sort', async () => {
  const plans = await plansOf(stores.one.durable, (db) => oldestUnchained(db));
  expect(plans).toContainEqual(
    expect.stringMatching(/^SEARCH events USING INDEX \w+ \(position=\? AND rowid>\?\)$/),
  );
  expect(plans.filter((line) => /B-TREE|SCAN /.test(line))).toEqual([]);
});
