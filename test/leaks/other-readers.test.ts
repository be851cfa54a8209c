import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planLeakMails } from '../../src/domain/reminders/leaked/plan-leak-mails.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { type MailedGround, openMailedGround, yesterdayNoon } from '../reminders/support/delivery-ground.ts';
import { addAccount, addApp, addToken, changeToken } from '../reminders/support/planning-ground.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';

/** A mail about a leaked token waits, and the token or its app becomes somebody else's meanwhile. */

const OWNER = 'owner@box.example';
const HOLDER = 'holder@box.example';
const OTHER = 'other@box.example';

describe.each(databaseKinds)('on %s', (kind) => {
  let mailed: MailedGround;
  let app: string;
  let token: string;
  let other: string;

  beforeAll(async () => {
    mailed = await openMailedGround(kind);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    const { context, door, clock } = mailed;
    for (const table of ['leak_places', 'leaked_tokens', 'reminders', 'mails'] as const)
      await context.store.durable.deleteFrom(table).execute();
    for (const table of ['mappings', 'apps', 'accounts'] as const)
      await context.store.durable.deleteFrom(table).execute();
    clock.set(yesterdayNoon());
    door.mails.length = 0;
    door.refused.clear();
    app = await addApp(context, { owner: await addAccount(context, { email: OWNER }) });
    other = await addAccount(context, { email: OTHER });
    token = await reported(await addAccount(context, { email: HOLDER }));
    await planLeakMails(context);
  });

  async function reported(holder: string): Promise<string> {
    const { context } = mailed;
    const value = newLegacyToken();
    const token_digest = context.vault.digest(value);
    const id = await addToken(context, app, { account_id: holder, token_digest, hint_last: value.slice(-4) });
    const reports = [{ token: value, found: 'a log' }];
    await reportLeaks(context, { reports, grace: DAY }, { actor: 'leaks:key', requestId: null });
    return id;
  }

  const giveApp = async () =>
    mailed.context.store.durable.updateTable('apps').set({ owner_account_id: other }).execute();
  /** Whom mails went to, up to the end of the turn after those that were waiting. */
  const told = async () => {
    await deliverReminders(mailed.context);
    await planLeakMails(mailed.context);
    await deliverReminders(mailed.context);
    return mailed.door.mails.flatMap(({ to }) => to).toSorted();
  };

  test('who gave the app away is not told of its token; the new owner is', async () => {
    await giveApp();
    expect(await told()).toEqual([HOLDER, OTHER]);
  });

  test('who does not hold the token any more is not told of it; who holds it now is', async () => {
    await changeToken(mailed.context, token, { account_id: other });
    expect(await told()).toEqual([OTHER, OWNER]);
  });

  test('an account that took over the address of its mail is told once', async () => {
    const { context } = mailed;
    const client = await addApp(context, { ownerEmail: 'late@box.example' });
    app = client;
    await reported(other);
    await planLeakMails(context);
    const late = await addAccount(context, { email: 'late@box.example' });
    await context.store.durable
      .updateTable('apps')
      .set({ owner_account_id: late })
      .where('client_id', '=', client)
      .execute();
    expect(await told()).toEqual([HOLDER, 'late@box.example', OTHER, OWNER]);
  });

  test('a turn reads nobody whose mail is on its way, however many tokens wait for their mails', async () => {
    const { context } = mailed;
    for (let one = 0; one < 10; one += 1)
      await reported(await addAccount(context, { email: `h${one}@box.example` }));
    await planLeakMails(context);
    let statements = 0;
    const durable = context.store.durable.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await planLeakMails({ ...context, store: { ...context.store, durable } });
    expect(statements).toBe(2);
  });

  test('a token of a retired app stays on the list only as long as the retirement can be taken back', async () => {
    const { durable } = mailed.context.store;
    const toldAfter = async (retiredFor: number) => {
      const retired_at = mailed.clock.now() - retiredFor;
      await durable.updateTable('apps').set({ retired_at }).execute();
      await planLeakMails(mailed.context);
      const { told_at } = await durable
        .selectFrom('leaked_tokens')
        .select('told_at')
        .executeTakeFirstOrThrow();
      return told_at !== null;
    };
    expect(await toldAfter(6 * DAY)).toBe(false);
    expect(await toldAfter(8 * DAY)).toBe(true);
  });
});
