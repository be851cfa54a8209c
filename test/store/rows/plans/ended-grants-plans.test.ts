import { countEnded, countEndedByCause, endedKeys } from '../../../../src/store/support/ended-grants.ts';
import type { Database } from '../../../../src/store/driver/store.ts';
import { plansOf } from '../../support/plans.ts';
import { keepAppAndAccount, keepGrant } from '../../support/rows.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** What ended on a day is found by an index, in its order, however much ended before and after. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
  await keepAppAndAccount(stores.one.durable);
  for (let number = 0; number < 50; number += 1) await keepGrant(stores.one.durable, `g${number}`);
});

afterAll(() => stores.close());

const span = { from: 1000, to: 2000 };

const STATEMENTS: Array<[name: string, work: (db: Database) => Promise<unknown>]> = [
  ['counted', (db) => countEnded(db, { ...span, cause: 'lost' }, 100)],
  ['counted for an app', (db) => countEnded(db, { ...span, cause: 'lost', clientId: 'a' }, 100)],
  ['counted by cause', (db) => countEndedByCause(db, { ...span, causes: ['lost', 'refused'] })],
  [
    'listed',
    (db) => endedKeys(db, { ...span, causes: ['lost'], at: { from: undefined, isBack: false } }, 100),
  ],
  [
    'listed from a place on',
    (db) =>
      endedKeys(db, { ...span, causes: ['lost'], at: { from: { at: 1500, id: 'g7' }, isBack: false } }, 100),
  ],
];

test.each(STATEMENTS)('when they are %s, no plan scans the grants or sorts them', async (_name, work) => {
  const plans = await plansOf(stores.one.durable, work);
  expect(plans).toContainEqual(
    expect.stringMatching(/^SEARCH g USING (COVERING )?INDEX grants_dead_by_cause /),
  );
  expect(plans.filter((line) => /AUTOMATIC|B-TREE|SCAN (g|o|t|grants|mappings)\b/.test(line))).toEqual([]);
});
