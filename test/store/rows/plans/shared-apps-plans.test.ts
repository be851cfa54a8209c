import { ensureAccount } from '../../../../src/store/accounts/accounts.ts';
import { isShareUnproven } from '../../../../src/store/apps/shared-apps.ts';
import { plansOf } from '../../support/plans.ts';
import { keepAppAndAccount } from '../../support/rows.ts';
import { openTwoStores, type TwoStores } from '../../support/stores.ts';

/** The first page of each person asks what is shared with the address, however many contacts all apps have. */

let stores: TwoStores;

beforeAll(async () => {
  stores = await openTwoStores('sqlite');
  await keepAppAndAccount(stores.one.durable);
});

afterAll(() => stores.close());

test('what is shared with an address that its account has lost is found by the address', async () => {
  const { durable } = stores.one;
  const { client_id: clientId } = await durable
    .selectFrom('apps')
    .select('client_id')
    .executeTakeFirstOrThrow();
  await ensureAccount(durable, 'former', 1);
  await durable.updateTable('accounts').set({ email: 'new@a.example' }).execute();
  const address = 'shared@a.example';
  const contact = { client_id: clientId, address, access: 'read' as const, access_email: address };
  await durable
    .insertInto('app_contacts')
    .values({ ...contact, account_id: 'former' })
    .execute();
  expect(await isShareUnproven(durable, address)).toBe(true);
  const plans = await plansOf(durable, (db) => isShareUnproven(db, address));
  expect(plans.filter((line) => line.includes('app_contacts'))).toEqual([
    expect.stringContaining('USING INDEX app_contacts_shared'),
    expect.stringContaining('USING INDEX app_contacts_shared'),
  ]);
});
