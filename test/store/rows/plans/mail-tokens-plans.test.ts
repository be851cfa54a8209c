import { waitingTokensOf } from '../../../../src/store/reminders/mail-tokens.ts';
import { plansOf } from '../../support/plans.ts';
import { openTwoStores } from '../../support/stores.ts';

/** Each mail asks which tokens it is about, and the app of a mail may have a hundred thousand. */

test('the tokens of a mail are looked up by their holder, never by their app alone', async () => {
  const stores = await openTwoStores('sqlite');
  try {
    const holder = { accountId: 'a1', emails: ['one@example.org', 'two@example.org'] };
    const plans = await plansOf(stores.one.durable, (db) => waitingTokensOf(db, 'c1', holder));
    const looks = plans.filter((line) => line.includes('mappings'));
    expect(looks.length).toBeGreaterThanOrEqual(3);
    for (const look of looks) expect(look).toMatch(/^SEARCH mappings .*account_(?:id|email)=\?/);
  } finally {
    await stores.close();
  }
});
