import { insertGrant } from '../../../src/store/grants/grants.ts';
import { endDoubtOfClaim, goBehind } from '../../../src/store/grants/presentations.ts';
import type { NewGrant } from '../../../src/store/tables/tables.ts';
import { grantRow, keepAppAndAccount, keepGrant } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** A doubt that a proof ends, and one that goes behind the others that wait for a look: the whole row, and no other row. */

const IN_DOUBT = {
  version: 3,
  attempts: 2,
  claim_id: 'c1',
  state: 'in_doubt',
  presented_at: 901,
  doubt_since: 902,
  doubted_at: 903,
  retry_at: 5,
  put_off_at: 904,
  rotated_at: 906,
  updated_at: 907,
} as const satisfies Partial<NewGrant>;

const g1 = { id: 'g1', version: 3 };

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  const db = () => stores.one.durable;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    await keepAppAndAccount(db());
  });

  beforeEach(() => db().deleteFrom('grants').execute());

  afterAll(() => stores.close());

  async function keepTwo(changes: Partial<NewGrant>): Promise<void> {
    await insertGrant(db(), grantRow('g1', { ...IN_DOUBT, ...changes }));
    await keepGrant(db(), 'g2', { ...IN_DOUBT, ...changes });
  }

  const rows = () => stores.two.durable.selectFrom('grants').selectAll().orderBy('id').execute();

  /** What a statement about the first of two grants changes; it must leave the second one alone. */
  async function changesOf(row: Partial<NewGrant>, run: () => Promise<unknown>) {
    await keepTwo(row);
    const [before, other] = await rows();
    const answer = await run();
    const [after, otherAfter] = await rows();
    expect(otherAfter).toEqual(other);
    const changed = Object.entries(after ?? {}).filter(
      ([name, value]) => value !== Object.entries(before ?? {}).find(([column]) => column === name)?.[1],
    );
    return { answer, changed: Object.fromEntries(changed) };
  }

  const proven = { claimId: 'c1', retryAt: 70, now: 50 };
  const NOTHING = { answer: false, changed: {} };

  test('the proof that a claim spent nothing ends the doubt about it', async () => {
    expect(await changesOf({}, () => endDoubtOfClaim(db(), g1, proven))).toEqual({
      answer: true,
      changed: { state: 'ready', doubt_since: null, doubted_at: null, retry_at: 70, updated_at: 50 },
    });
  });

  test.each<[string, Partial<NewGrant>]>([
    ['ready', { state: 'ready' }],
    ['presented anew', { state: 'presenting' }],
    ['dead', { state: 'dead', dead_at: 908, dead_cause: 'lost' }],
    ['claimed by another since', { claim_id: 'c2' }],
    ['of an earlier version', { version: 2 }],
    ['of a later version', { version: 4 }],
    ['of a take-over', { restored_at: 901 }],
  ])('it ends no doubt of a grant that is %s', async (_what, row) => {
    expect(await changesOf(row, () => endDoubtOfClaim(db(), g1, proven))).toEqual(NOTHING);
  });

  const seen = { ...g1, claim_id: 'c1', retry_at: 5 };

  test('a grant that was looked into in vain goes behind those that wait, without a rest', async () => {
    expect((await changesOf({}, () => goBehind(db(), seen, 50))).changed).toEqual({ retry_at: 50 });
  });

  test('so does one whose claim is of the time before claims had names', async () => {
    const nameless = { ...seen, claim_id: null };
    const { changed } = await changesOf({ claim_id: null }, () => goBehind(db(), nameless, 50));
    expect(changed).toEqual({ retry_at: 50 });
  });

  test.each<[string, Partial<NewGrant>]>([
    ['is ready', { state: 'ready' }],
    ['is presented anew', { state: 'presenting' }],
    ['is dead', { state: 'dead', dead_at: 908, dead_cause: 'lost' }],
    ['was claimed by another since', { claim_id: 'c2' }],
    ['has no claim any more', { claim_id: null }],
    ['has an earlier version', { version: 2 }],
    ['has a later version', { version: 4 }],
    ['got a rest by the look', { retry_at: 6 }],
  ])('a grant keeps its place that %s', async (_what, row) => {
    expect((await changesOf(row, () => goBehind(db(), seen, 50))).changed).toEqual({});
  });
});
