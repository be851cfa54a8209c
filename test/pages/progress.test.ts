import type { Context } from '../../src/domain/context.ts';
import { movedSoFar } from '../../src/domain/handover/migration-checklist.ts';
import { keepProgress } from '../../src/domain/progress/keep-progress.ts';
import { type ProgressDay, progressOf, progressOfApps } from '../../src/domain/progress/progress-of.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import { countGrants, countHandovers, unconfirmedHandovers } from '../../src/store/tokens/app-tokens.ts';
import {
  addAccount,
  addApp,
  addDeadGrant,
  addToken,
  type Ground,
  openGround,
} from '../reminders/support/planning-ground.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';

/** How many tokens stood where on which day, kept by the job and read by pages. */

const dayNumbers = ({ mapped, waiting, migrated, revoked }: ProgressDay) =>
  [mapped, waiting, migrated, revoked].join(' ');

describe.each(modeDatabases)('on %s', (kind) => {
  const clock = new SettableClock(Date.parse('2026-03-01T10:00:00Z'));
  let ground: Ground;
  let context: Context;
  let [owner, app, other] = ['', '', ''];

  beforeAll(async () => {
    ground = await openGround(kind, clock);
    context = await ground.open();
    owner = await addAccount(context);
    app = await addApp(context, { owner });
    other = await addApp(context);
  });
  afterAll(() => ground.close());

  const rows = () =>
    context.store.durable.selectFrom('progress').selectAll().orderBy('day').orderBy('client_id').execute();

  const numbersOf = async (of: Parameters<typeof progressOf>[1], days: number) =>
    (await progressOf(context, of, { days })).map(dayNumbers);

  const numbersOfApp = async (clientId: string, days: number) =>
    (await progressOfApps(context, [other, clientId], { days })).get(clientId)?.map(dayNumbers);

  test('the first count keeps a row for each app that has tokens, with its waiting people told apart', async () => {
    const [ann, bob] = [await addAccount(context), await addAccount(context)];
    for (const account_id of [ann, ann, bob]) await addToken(context, app, { account_id });
    await addToken(context, app, { account_email: 'carl@box.example' });
    await addToken(context, app, { account_email: 'carl@box.example', state: 'reauthorization_required' });
    await addToken(context, app, {});
    await addToken(context, app, { account_id: await addAccount(context), state: 'active' });
    await addToken(context, other, { account_id: ann, state: 'migrated' });
    await addToken(context, await addApp(context, { retired: true }), { account_id: ann });
    await keepProgress(context);
    expect(await rows()).toEqual([
      {
        client_id: app,
        day: '2026-03-01',
        unmapped: 5,
        active: 1,
        reauthorization_required: 1,
        revoked: 0,
        migrated: 0,
        waiting_people: 3,
      },
      expect.objectContaining({ client_id: other, migrated: 1, unmapped: 0, waiting_people: 0 }),
    ]);
  });

  test('a count that finds nothing new changes nothing, on a later day too', async () => {
    const before = await rows();
    clock.advance(2 * DAY);
    await keepProgress(context);
    expect(await rows()).toEqual(before);
  });

  test('what changed has the last numbers of its day, and days without a row are as the one before', async () => {
    const { durable } = context.store;
    const move = (state: 'active' | 'revoked') =>
      durable
        .updateTable('mappings')
        .set({ state })
        .where('client_id', '=', app)
        .where('state', '=', 'unmapped')
        .where('account_email', 'is', null)
        .where('account_id', 'is not', null)
        .execute();
    await move('revoked');
    await keepProgress(context);
    await durable.updateTable('mappings').set({ state: 'active' }).where('state', '=', 'revoked').execute();
    await keepProgress(context);
    expect((await rows()).map(({ client_id, day }) => [client_id, day])).toEqual([
      [app, '2026-03-01'],
      [other, '2026-03-01'],
      [app, '2026-03-03'],
    ]);
    clock.advance(DAY);
    expect(await numbersOfApp(app, 5)).toEqual(['0 0 0 0', '1 6 0 0', '1 6 0 0', '4 3 0 0', '4 3 0 0']);
    // From a row that is older than the days that are asked for.
    expect(await numbersOfApp(app, 1)).toEqual(['4 3 0 0']);
    expect(await numbersOf({ ownerAccountId: owner }, 2)).toEqual(['4 3 0 0', '4 3 0 0']);
    expect(await numbersOf('all', 4)).toEqual(['1 6 1 0', '1 6 1 0', '4 3 1 0', '4 3 1 0']);
    expect(await numbersOf('all', 1)).toEqual(['4 3 1 0']);
    expect((await progressOf(context, 'all', { days: 1 })).map(({ day }) => day)).toEqual(['2026-03-04']);
  });

  test('an app that is retired counts as none from then on', async () => {
    await context.store.durable
      .updateTable('apps')
      .set({ retired_at: clock.now() })
      .where('client_id', '=', other)
      .execute();
    await keepProgress(context);
    expect(await numbersOf('all', 2)).toEqual(['4 3 1 0', '4 3 0 0']);
  });

  test('old rows go with the usage of their days, but the newest of each app stays', async () => {
    clock.advance(405 * DAY);
    await addToken(context, app, { state: 'revoked' });
    await keepProgress(context);
    expect((await rows()).map(({ client_id, day }) => [client_id, day])).toEqual([
      [other, '2026-03-04'],
      [app, dayOf(clock.now())],
    ]);
    const ofAll = await context.store.durable.selectFrom('progress_of_all').selectAll().execute();
    expect(ofAll).toEqual([expect.objectContaining({ day: dayOf(clock.now()), revoked: 1, active: 4 })]);
  });

  test('very many tokens are counted in pieces, and others are served between them', async () => {
    const many = await addApp(context);
    for (let first = 0; first < 6000; first += 500)
      await context.store.durable
        .insertInto('mappings')
        .values(
          Array.from({ length: 500 }, (_, index) => ({
            id: `many-${first + index}`,
            token_digest: `many-${first + index}`,
            client_id: many,
            state: 'unmapped' as const,
            source: 'imported' as const,
            // Two tokens of each address.
            account_email: `p${(first + index) % 3000}@box.example`,
            created_at: 1,
            updated_at: 1,
          })),
        )
        .execute();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 0);
    await keepProgress(context);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(3);
    expect((await rows()).find(({ client_id }) => client_id === many)).toMatchObject({
      unmapped: 6000,
      waiting_people: 3000,
    });
  });
});

/** What the migration checklist counts of hand-overs: which of them can still be confirmed, and which never will be. */

describe.each(modeDatabases)('of hand-overs, on %s', (kind) => {
  const clock = new SettableClock(Date.parse('2026-03-01T10:00:00Z'));
  let ground: Ground;
  let context: Context;
  let app: string;

  beforeAll(async () => {
    ground = await openGround(kind, clock);
    context = await ground.open();
  });
  afterAll(() => ground.close());
  beforeEach(async () => {
    app = await addApp(context);
  });

  async function handedOver(accountId: string, { ago, isConfirmed }: { ago: number; isConfirmed: boolean }) {
    const grantId = await addDeadGrant(context, { clientId: app, accountId, cause: 'handed_over' });
    const handed_at = clock.now() - ago;
    const confirmed_at = isConfirmed ? handed_at + 1 : null;
    const of = { grant_id: grantId, client_id: app, account_id: accountId, version: 1, migrated_tokens: 1 };
    await context.store.durable
      .insertInto('handovers')
      .values({ ...of, handed_at, confirmed_at })
      .execute();
  }

  const counted = async () => (await movedSoFar(context, app)).handovers;

  test('none at the start', async () => {
    expect(await counted()).toMatchObject({ handed: 0, confirmed: 0, awaited: 0, lost: 0 });
  });

  test('one that is not confirmed is waited for as long as its pair is kept, and lost from then on', async () => {
    await handedOver(await addAccount(context), { ago: 7 * DAY - 1, isConfirmed: false });
    await handedOver(await addAccount(context), { ago: 7 * DAY, isConfirmed: false });
    await handedOver(await addAccount(context), { ago: 30 * DAY, isConfirmed: true });
    expect(await counted()).toMatchObject({
      handed: 3,
      confirmed: 1,
      awaited: 1,
      awaitedSince: clock.now() - 7 * DAY + 1,
      awaitedUntil: clock.now() + 1,
      lost: 1,
    });
  });

  test('one that a later confirmed one of the same account takes the place of is not lost', async () => {
    const [again, other] = [await addAccount(context), await addAccount(context)];
    await handedOver(again, { ago: 20 * DAY, isConfirmed: false });
    await handedOver(again, { ago: DAY, isConfirmed: true });
    await handedOver(other, { ago: 20 * DAY, isConfirmed: false });
    await handedOver(other, { ago: 21 * DAY, isConfirmed: true });
    expect(await counted()).toMatchObject({ handed: 4, confirmed: 2, awaited: 0, lost: 1 });
  });

  test('of very many the first are looked at', async () => {
    for (const isConfirmed of [true, true, false, false])
      await handedOver(await addAccount(context), { ago: DAY, isConfirmed });
    const { durable } = context.store;
    for (let live = 0; live < 3; live++)
      await addDeadGrant(context, { clientId: app, accountId: await addAccount(context), cause: 'lost' });
    await durable
      .updateTable('grants')
      .set({ state: 'ready', dead_at: null, dead_cause: null })
      .where('client_id', '=', app)
      .where('dead_cause', '=', 'lost')
      .execute();
    expect(await countHandovers(durable, app, 3)).toMatchObject({ handed: 3 });
    const before = clock.now();
    const [part, whole] = [
      await unconfirmedHandovers(durable, app, { before, limit: 1 }),
      await unconfirmedHandovers(durable, app, { before, limit: 9 }),
    ];
    expect([part.n, part.isPart, whole.isPart]).toEqual([1, true, false]);
    expect(await countGrants(durable, app, 2)).toEqual([{ modern_client_id: expect.any(String), n: 2 }]);
    expect(await countGrants(durable, app, 9)).toEqual([{ modern_client_id: expect.any(String), n: 3 }]);
  });
});
