import { Writable } from 'node:stream';
import { readConfig } from '../../src/config/config.ts';
import { examineDates } from '../../src/domain/checks/check-dates.ts';
import { setDateOf } from '../../src/domain/lifecycle/changes/set-date.ts';
import { seedDemo } from '../../src/demo-data/seed-demo.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { startAdminBridge } from './support/admin-bridge.ts';

/** The dates that a database begins with: those of the settings, or of the demo. */

const START = Date.parse('2027-01-01T00:00:00Z');
const DAY = 86_400_000;
const clock = new SettableClock(START);

describe('the settings', () => {
  const env = { LEGACY_DEPRECATED_AT: '2027-02-01', LEGACY_RETIREMENT_AT: '2027-03-01T12:00:00+01:00' };

  testInProcess(
    'fill an empty database once; later ones that say another date are named in a warning',
    async () => {
      const lines: string[] = [];
      const stream = new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(chunk.toString());
          done();
        },
      });
      const log = { level: 'warn', stream };
      const first = await startAdminBridge({ clock, log, env });
      try {
        expect(first.bridge.context.lifecycle.current().dates).toEqual({
          deprecation: Date.parse('2027-02-01T00:00:00Z'),
          retirement: Date.parse('2027-03-01T11:00:00Z'),
        });
        expect(await first.history()).toEqual([
          'settings date_set deprecation: 2027-02-01T00:00:00.000Z; the database had no dates',
          'settings date_set retirement: 2027-03-01T11:00:00.000Z; the database had no dates',
        ]);
        expect(lines).toEqual([]);
        const { database } = first.bridge;
        const again = await startAdminBridge({
          clock,
          log,
          varDir: first.varDir,
          env: {
            ...env,
            DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
            LEGACY_RETIREMENT_AT: '2027-04-01',
            BRIDGE_SUNSET_AT: '2027-05-01',
          },
        });
        expect(again.bridge.context.lifecycle.current().dates).toEqual(
          first.bridge.context.lifecycle.current().dates,
        );
        expect(await again.history()).toHaveLength(2);
        await again.bridge.close();
        const said = lines.filter((line) =>
          line.includes('the settings differ from the dates in the database'),
        );
        expect(said).toHaveLength(1);
        expect(JSON.parse(said[0] ?? '')).toMatchObject({
          level: 'warn',
          settings: ['LEGACY_RETIREMENT_AT (retirement)', 'BRIDGE_SUNSET_AT (sunset)'],
        });
      } finally {
        await first.stop();
      }
    },
  );

  testInProcess(
    'set no retirement or sunset that is past; a warning names the way, at the start and in doctor',
    async () => {
      const lines: string[] = [];
      const stream = new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(chunk.toString());
          done();
        },
      });
      const past = {
        LEGACY_DEPRECATED_AT: '2020-01-01',
        LEGACY_RETIREMENT_AT: '2026-12-31',
        BRIDGE_SUNSET_AT: '2027-01-01',
      };
      const admin = await startAdminBridge({ clock, log: { level: 'warn', stream }, env: past });
      const { context } = admin.bridge;
      const deprecation = Date.parse('2020-01-01');
      expect(context.lifecycle.current().dates).toEqual({ deprecation });
      const settings = ['LEGACY_RETIREMENT_AT (retirement)', 'BRIDGE_SUNSET_AT (sunset)'];
      const message = expect.stringMatching(
        /that is past, the bridge did not set the date.*dates set --force$/,
      );
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
        expect.objectContaining({ level: 'warn', message, settings }),
      ]);
      const dates = { deprecation, retirement: Date.parse('2026-12-31'), sunset: undefined };
      expect(await examineDates({ ...context, settings: { ...context.settings, dates } })).toMatchObject({
        state: 'warning',
        detail: expect.stringContaining('LEGACY_RETIREMENT_AT (retirement) is a past date and was not set'),
      });
      await setDateOf(context, {
        name: 'retirement',
        at: dates.retirement,
        reason: 'x',
        actor: 'x',
        isForced: true,
      });
      expect(await examineDates({ ...context, settings: { ...context.settings, dates } })).toMatchObject({
        state: 'ok',
      });
      await admin.stop();
    },
  );

  test('the demo retires 60 days after its first start, and has the same dates at the next one', async () => {
    const admin = await startAdminBridge({ clock });
    const { context } = admin.bridge;
    const current = () => context.lifecycle.current();
    const config = readConfig({ PUBLIC_URL: 'http://localhost:3000' });
    clock.set('2027-01-01T09:30:00Z');
    await seedDemo(context, config, 'a'.repeat(24));
    const dates = { deprecation: START, retirement: START + 60 * DAY };
    expect(current().dates).toEqual(dates);
    clock.set('2027-01-05T09:30:00Z');
    await seedDemo(context, config, 'a'.repeat(24));
    await context.lifecycle.refresh();
    expect(current().dates).toEqual(dates);
    await setDateOf(context, { name: 'retirement', at: undefined, reason: 'x', actor: 'command' });
    await seedDemo(context, config, 'a'.repeat(24));
    expect(current().dates).toEqual({ deprecation: START });
    await admin.stop();
  });
});
