import {
  countAccounts,
  countAccountsOfDead,
  countLiveGrantsInPieces,
  countLiveUpTo,
  countRefreshed,
} from '../../../../src/store/grants/deaths.ts';
import { readBreaker, redateDoubts } from '../../../../src/store/grants/refresh-breaker.ts';
import { markDead } from '../../../../src/store/grants/grants.ts';
import { readInstance } from '../../../../src/store/instance/instance.ts';
import { claimPresenting } from '../../../../src/store/grants/claim-presenting.ts';
import type { Database } from '../../../../src/store/driver/store.ts';
import { plansOf } from '../../support/plans.ts';
import { keepAppAndAccount, keepGrant } from '../../support/rows.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** What each refresh asks of the grants is found by indexes that hold few rows, however many grants there are. */

const NOW = 10_000_000;

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
  await keepAppAndAccount(stores.one.durable);
  for (let number = 0; number < 200; number += 1) await keepGrant(stores.one.durable, `g${number}`);
});

afterAll(() => stores.close());

const DEATH = { cause: 'lost', now: NOW, eraseTokens: false } as const;

const span = { from: NOW - 60_000, to: NOW };

async function claim(db: Database): Promise<void> {
  const instance = await readInstance(stores.one.durable);
  const breaker = await readBreaker(stores.one.durable, NOW);
  const decision = { from: 'ready', seenClaim: null, claimId: 'c', now: NOW, ifAlone: true } as const;
  await claimPresenting(db, { id: 'g1', version: 1 }, { ...decision, instance, breaker });
}

const STATEMENTS: Array<[name: string, work: (db: Database) => Promise<unknown>]> = [
  ['the breaker is read', (db) => readBreaker(db, NOW)],
  ['a grant is claimed', claim],
  ['lost answers are dated anew', (db) => redateDoubts({ transaction: async (work) => work(db) }, NOW)],
  [
    'accounts of the dead are counted',
    (db) => countAccountsOfDead(db, { ...span, causes: ['refused', 'lost'] }),
  ],
  ['refreshed grants are counted', (db) => countRefreshed(db, { ...span, limit: 34 })],
];

test.each(STATEMENTS)(
  'when %s, no plan scans the grants or makes an index of its own',
  async (_name, work) => {
    const plans = await plansOf(stores.one.durable, work);
    expect(plans).not.toEqual([]);
    expect(plans.filter((line) => /AUTOMATIC|SCAN (grants|doubted|other)\b/.test(line))).toEqual([]);
  },
);

test('living grants are counted in the order of the index that has no others, whole or in part', async () => {
  const { durable } = stores.one;
  for (const id of ['g3', 'g4']) await markDead(durable, { id, version: 1 }, DEATH);
  const counts: number[] = [];
  const plans = await plansOf(durable, async (db) => {
    for (const piece of [1, 7, 99, 198, 5000]) counts.push(await countLiveGrantsInPieces(db, piece));
    counts.push(await countLiveUpTo(db, 10));
  });
  expect(counts).toEqual([198, 198, 198, 198, 198, 10]);
  const ofGrants = plans.filter((line) => line.includes('grants'));
  expect([...new Set(ofGrants)]).toEqual([expect.stringMatching(/^SEARCH grants USING INDEX grants_live /)]);
  expect(plans.filter((line) => line.includes('B-TREE'))).toEqual([]);
});

test('accounts of the fleet are counted step by step in the index of accounts', async () => {
  const plans = await plansOf(stores.one.durable, (db) =>
    countAccounts(db, { ...span, causes: ['superseded'], limit: 50 }),
  );
  expect(plans.filter((line) => /USING (COVERING )?INDEX grants_by_account/.test(line))).toHaveLength(2);
  expect(plans.filter((line) => /AUTOMATIC|SCAN (grants|next)\b/.test(line))).toEqual([]);
});
