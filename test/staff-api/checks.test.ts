import { examineOwn } from '../../src/domain/checks/own-checks.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { isoMoment } from '../../src/shared/moments.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { keyFor, type Program, programOf } from './support/api-client.ts';
import { type ApiGround, openGround } from './support/ground.ts';

/** GET /checks tells what `doctor` tells of the database and the settings, and changes nothing. */

interface Finding {
  check: string;
  state: string;
  detail: string;
}

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'reader')).key);
  });
  afterAll(() => ground.stop());

  async function findings(): Promise<Record<string, Finding>> {
    const { status, json } = await program.get('/checks');
    expect(status).toBe(200);
    const { checks } = json as { checks: Finding[] };
    return Object.fromEntries(checks.map((finding) => [finding.check, finding]));
  }

  test('every check has a verdict, and nothing is changed', async () => {
    const { api_keys: _1, ...before } = await rowsOf(ground);
    const told = await findings();
    const { api_keys: _2, ...after } = await rowsOf(ground);
    expect(Object.keys(told)).toEqual(['refreshing', 'dates', 'budget', 'reminders']);
    expect(told['refreshing']).toMatchObject({ state: 'ok', detail: 'refreshing is not stopped' });
    const nothingMoves = 'at the last count, no connected token still had to move to the new API';
    expect(told['budget']).toMatchObject({ state: 'ok', detail: nothingMoves });
    expect(told['reminders']).toMatchObject({ state: 'ok' });
    expect(after).toEqual(before);
  });

  test('a restored copy plans no reminders, and says so', async () => {
    const { context } = ground.bridge;
    const copy = { ...context, instance: { ...context.instance, isCopy: () => true } };
    const reminders = (await examineOwn(copy)).find(({ check }) => check === 'reminders');
    expect(reminders).toMatchObject({
      state: 'not looked at',
      detail: 'a restored copy plans and sends none',
    });
  });

  test('a date that the settings do not say is a warning, and answers of refreshes that are lost are one', async () => {
    const { context } = ground.bridge;
    expect((await findings())['dates']?.state).toBe('ok');
    const at = Math.ceil(Date.now() / DAY) * DAY + 90 * DAY;
    await setDateOf(context, { name: 'retirement', at, reason: 'later', isForced: false, actor: 'test' });
    const [since, until] = [Date.now() - 1000, Date.now() + DAY];
    await context.store.durable
      .updateTable('refresh_breaker')
      .set({ tripped_at: since, next_at: until })
      .execute();
    const { dates, refreshing } = await findings();
    expect(dates).toMatchObject({ state: 'warning', detail: expect.stringContaining(isoMoment(at)) });
    expect(dates?.detail).toContain('LEGACY_RETIREMENT_AT');
    expect(refreshing).toMatchObject({ state: 'warning' });
  });
});
