import type { Context } from '../../src/domain/context.ts';
import { noteLastUse } from '../../src/domain/reminders/note-last-use.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { countCallsSince } from '../../src/store/usage/known-calls.ts';
import { addUsage } from '../../src/store/usage/usage.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { databaseKinds } from '../store/support/stores.ts';
import {
  addAccount,
  addApp,
  addToken,
  emptyGround,
  type Ground,
  openGround,
  previewAll,
  readLedger,
  readToken,
  setDate,
} from './support/planning-ground.ts';

/** Before all calls of a month are counted, the want of a use proves nothing. */

function useAt({ store }: Context, mappingId: string, at: number): Promise<void> {
  const call = { endpoint: '/1/user.json', carrier: 'header', user_agent: 'test', outcome: 'ok', calls: 1 };
  return addUsage(store, [{ mapping_id: mappingId, day: dayOf(at), ...call, last_at: at }]);
}

describe.each(databaseKinds)('on %s a use', (kind) => {
  const clock = new SettableClock();
  let ground: Ground;
  let one: Context;

  beforeAll(async () => {
    ground = await openGround(kind, clock);
    one = await ground.open();
  });
  afterAll(() => ground.close());

  beforeEach(async () => {
    clock.set('2027-01-02T09:00:00Z');
    await emptyGround(one);
    await setDate(one, 'retirement', '2027-02-01');
  });

  test.each([
    [29, 'holder 30 retirement:2027-02-01', false],
    [30, 'holder unused', true],
  ])(
    'of which calls are counted for %s days shows silence after a month alone',
    async (days, stage, wakes) => {
      await countCallsSince(one.store, clock.now() - days * DAY);
      const account_id = await addAccount(one, { email: 'ann@example.org' });
      const app = await addApp(one);
      const token = await addToken(one, app, { account_id, last_used_at: clock.now() - 90 * DAY });
      expect(await planReminders(one)).toBe(1);
      expect((await readLedger(one))[0]).toContain(stage);
      expect((await previewAll(one)).length).toBe(0);
      await useAt(one, token, clock.now());
      await noteLastUse(one);
      expect(await readToken(one, token)).toMatchObject({ woken_at: wakes ? clock.now() : null });
    },
  );

  test('is not missed of a token that was imported an hour ago without a last use, whatever the others say', async () => {
    await countCallsSince(one.store, clock.now() - 90 * DAY);
    const account_id = await addAccount(one, { email: 'ann@example.org' });
    const app = await addApp(one);
    const longAgo = clock.now() - 90 * DAY;
    await addToken(one, app, { account_id, last_used_at: longAgo, updated_at: longAgo });
    await addToken(one, app, { account_id, last_used_at: null });
    expect(await planReminders(one)).toBe(1);
    expect((await readLedger(one)).join()).not.toContain('unused');
  });

  test('of calls whose beginning nobody knows shows no silence', async () => {
    await one.store.volatile.deleteFrom('app_calls_begin').execute();
    const account_id = await addAccount(one, { email: 'ann@example.org' });
    await addToken(one, await addApp(one), { account_id, last_used_at: clock.now() - 90 * DAY });
    expect(await planReminders(one)).toBe(1);
    expect((await readLedger(one)).join()).not.toContain('unused');
  });
});
