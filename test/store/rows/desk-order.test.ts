import { appsThatWait, grantsInDoubt } from '../../../src/store/support/desk-sources.ts';
import { countDesk, deskKeys } from '../../../src/store/support/desks.ts';
import { PAGE_ROWS } from '../../../src/shared/list-pages.ts';
import { insertionOf } from '../../../src/store/driver/many-rows.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import { plansOf } from '../support/plans.ts';
import { ACCOUNT, grantRow, keepAppAndAccount } from '../support/rows.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../support/stores.ts';

/** Which rows of a desk come first is decided among all rows, however many there are. */

const MANY = 1_200;
const numbers = Array.from({ length: MANY }, (_, number) => number);
const nameOf = (number: number) => `app${String(number).padStart(5, '0')}`;

const APP_ROW = {
  name: 'A',
  owner_account_id: null,
  owner_email: null,
  source: 'registered' as const,
  created_at: 0,
  retired_at: null,
};

const FIRST = { position: undefined };
const PLACES = { noDate: 100_000, ended: 200_000 };

const COUNTED = {
  day: '2026-11-21',
  unmapped: 1,
  active: 0,
  reauthorization_required: 0,
  revoked: 0,
  migrated: 0,
};

async function keepMany(db: Database): Promise<void> {
  const apps = numbers.map((number) => ({
    ...APP_ROW,
    client_id: nameOf(number),
  }));
  await insertionOf(db, 'apps', apps).execute(db);
  const days = numbers.map((number) => ({
    ...COUNTED,
    client_id: nameOf(number),
    // The app with the highest number has the fewest people.
    waiting_people: MANY - number,
  }));
  await insertionOf(db, 'progress', days).execute(db);
  // The earliest end of an access token has the latest look.
  const grants = numbers.map((number) => ({
    ...grantRow(`g${number}`, { client_id: nameOf(number), account_id: ACCOUNT, state: 'in_doubt' }),
    access_expires_at: 10_000 + number,
    retry_at: 10_000 - number,
  }));
  await insertionOf(db, 'grants', grants).execute(db);
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  let db: Database;

  beforeAll(async () => {
    stores = await openTwoStores(kind);
    db = stores.one.durable;
    await keepAppAndAccount(db);
    await keepMany(db);
  });
  afterAll(() => stores.close());

  test('the app with the nearest date comes first, though a thousand others have more people', async () => {
    const [last, late] = [nameOf(MANY - 1), nameOf(0)];
    const own = [
      { id: last, place: 1 },
      { id: late, place: 200_000 },
    ];
    const source = appsThatWait(db, { ...PLACES, common: 20_000, own });
    expect(await countDesk(db, source)).toEqual({
      all: MANY,
      refused: 0,
      dated: MANY - 1,
      undated: 0,
      ended: 1,
    });
    const keys = await deskKeys(db, source, FIRST);
    expect(keys).toHaveLength(PAGE_ROWS + 1);
    expect(keys.slice(0, 2)).toEqual([
      { id: last, rank: 1e9 - 1 },
      { id: nameOf(1), rank: 20_000e9 - (MANY - 1) },
    ]);
    const [end] = await deskKeys(db, source, { position: { key: { rank: 1e16, id: 'z' }, to: 'back' } });
    expect(end?.id).toBe(late);
    const none = await deskKeys(db, appsThatWait(db, { ...PLACES, common: 0, own: [] }), FIRST);
    expect(none[0]).toEqual({ id: late, rank: -MANY });
    const byPeople = await deskKeys(db, source, { ...FIRST, sort: 'people' });
    expect(byPeople[0]).toEqual({ id: late, rank: MANY });
  });

  test('the grant whose access token ends first comes first, however late its next look is', async () => {
    const keys = await deskKeys(db, grantsInDoubt(db, 0), FIRST);
    expect(keys).toHaveLength(PAGE_ROWS + 1);
    expect(keys[0]).toEqual({ id: 'g0', rank: 10_000 });
    expect(keys[50]).toEqual({ id: 'g50', rank: 10_050 });
    const [last] = await deskKeys(db, grantsInDoubt(db, 0), { ...FIRST, sort: 'last' });
    expect(last).toEqual({ id: `g${MANY - 1}`, rank: 10_000 + MANY - 1 });
  });

  if (kind === 'sqlite')
    test('grants in doubt are read in the order of an index, without a sort', async () => {
      const plans = await plansOf(db, (watched) => deskKeys(watched, grantsInDoubt(watched, 0), FIRST));
      expect(plans).toEqual([expect.stringContaining('INDEX grants_unsettled_by_expiry')]);
    });
});
