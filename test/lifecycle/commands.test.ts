import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { addApp, listAppsCommand } from '../../src/cli/commands/apps/apps.ts';
import {
  addBrownout,
  exempt,
  listBrownouts,
  removeOne,
  unexempt,
} from '../../src/cli/commands/dates/brownouts.ts';
import { changeDate, showDates } from '../../src/cli/commands/dates/dates.ts';
import { extend, unextend } from '../../src/cli/commands/dates/extensions.ts';
import type { Result } from '../../src/cli/commands/result.ts';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { withContext } from '../../src/cli/commands/with-context.ts';
import { chooseDatabase } from '../support/bridge/started-bridge.ts';
import { historyOf } from './support/admin-bridge.ts';

/** The operator's commands about dates: what they print, what they keep, and that a bridge that runs follows them. */

const [HOUR, DAY] = [3_600_000, 86_400_000];
const REASON = { reason: 'asked for' };
const at = (time: number) => new Date(time).toISOString();
/** As people write it: whole seconds. */
const now = Math.floor(Date.now() / 1000) * 1000;

const history = () => withContext(({ context }) => historyOf(context));

/** Where nobody is named. */
const BY_USER = `command:${userInfo().username}`;

describe('on a database that no bridge serves', () => {
  const before = process.env;
  const varDir = mkdtempSync(join(tmpdir(), 'dates-'));
  let database: Awaited<ReturnType<typeof chooseDatabase>>;
  let clientId: string;

  type Command = (options: Record<string, unknown>, operands: string[]) => Promise<Result>;

  const command = (work: Command, options: Record<string, unknown>, ...operands: string[]) =>
    work(options, operands);

  beforeAll(async () => {
    database = await chooseDatabase();
    // Nobody asks it; while it is there, an extension of the retirement changes something.
    const old = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9' };
    process.env = { VAR_DIR: varDir, LOG_LEVEL: 'error', ...old, ...database.settings };
    await migrateDatabase({});
    const app = { name: 'Old App', callback: ['https://old-app.example/callback'], owner: 'a'.repeat(24) };
    clientId = String((await addApp(app)).json['client_id']);
  });
  afterAll(async () => {
    process.env = before;
    await database.remove();
    rmSync(varDir, { recursive: true, force: true });
  });

  test('dates set says what becomes of it, and dates show tells it', async () => {
    const retirement = at(now + 60 * DAY);
    const { ok, json, lines } = await command(changeDate, REASON, 'retirement', retirement);
    expect({ ok, json }).toEqual({
      ok: true,
      json: {
        name: 'retirement',
        at: retirement,
        before: null,
        changed: true,
        extensions: 0,
        idle_brownouts: 0,
        sunset_first: { all: false, apps: 0 },
      },
    });
    expect(lines.join(' ')).toContain('Reminders are planned anew');
    expect((await command(changeDate, REASON, 'retirement', retirement)).json).toMatchObject({
      changed: false,
    });
    const shown = await command(showDates, {});
    expect(shown.json).toMatchObject({
      dates: [{ at: null }, { name: 'retirement', at: retirement, changed_by: BY_USER }, { at: null }],
      extensions: [],
    });
    expect(shown.lines[0]).toBe('deprecation not set');
  });

  test('apps extend is shown by apps list and dates show until apps unextend', async () => {
    const until90 = at(now + 90 * DAY);
    const extended = await command(extend, { until: until90, ...REASON, by: 'Ada' }, clientId);
    const { json } = extended;
    expect(json).toEqual({
      client_id: clientId,
      name: 'retirement',
      until: until90,
      before: null,
      warnings: [],
      changed: true,
    });
    const sunset = { until: until90, sunset: true, ...REASON };
    await expect(command(extend, sunset, clientId)).rejects.toThrow('No sunset is set for all');
    await command(changeDate, REASON, 'sunset', at(now + 80 * DAY));
    const warning = expect.stringContaining('The sunset comes first for this app') as string;
    expect(await command(extend, { until: until90, ...REASON }, clientId)).toMatchObject({
      lines: [expect.stringContaining('Nothing was changed.'), warning],
      json: { changed: false, warnings: [warning] },
    });
    await command(extend, sunset, clientId);
    const known = await history();
    expect(await command(extend, sunset, clientId)).toMatchObject({
      ok: true,
      lines: [`The app has more time for the sunset until ${until90} already. Nothing was changed.`],
      json: { changed: false, until: until90, before: until90 },
    });
    expect(await history()).toEqual(known);
    const sooner = await command(changeDate, REASON, 'retirement', at(now + 50 * DAY));
    expect(sooner.lines.join(' ')).toContain('1 app has more time for this date');
    const line = `retirement only at ${until90}: asked for (command:Ada)`;
    expect((await command(listAppsCommand, {})).lines).toContain(`    more time: ${line}`);
    expect((await command(showDates, {})).lines).toContain(`${clientId}  Old App: ${line}`);
    await command(unextend, REASON, clientId);
    await command(unextend, { sunset: true, ...REASON }, clientId);
    expect((await command(showDates, {})).json).toMatchObject({ extensions: [] });
  });

  test('a brownout is planned, listed, and taken back; an app is left out and back in', async () => {
    const window = { from: at(now + HOUR), to: at(now + 2 * HOUR), rehearses: 'retirement' };
    const planned = await command(addBrownout, { ...window, text: 'We rehearse.' });
    const id = String(planned.json['id']);
    await command(exempt, { until: at(now + DAY), ...REASON }, clientId);
    const list = await command(listBrownouts, {});
    const left = { client_id: clientId, app: 'Old App', until: at(now + DAY), is_over: false };
    expect(list.json).toEqual({
      brownouts: [
        {
          id,
          rehearses: 'retirement',
          starts_at: window.from,
          ends_at: window.to,
          state: 'planned',
          text: 'We rehearse.',
        },
      ],
      exemptions: [{ ...left, reason: 'asked for', granted_by: BY_USER }],
    });
    expect(list.lines[0]).toBe(`${id}  retirement  ${window.from} to ${window.to}  planned  We rehearse.`);
    await command(unexempt, REASON, clientId);
    expect((await command(removeOne, {}, id)).json).toEqual({ id, had_begun: false });
    const after = { brownouts: [{ state: 'cancelled' }], exemptions: [] };
    expect((await command(listBrownouts, {})).json).toMatchObject(after);
  });

  test('every change has its entry, and a refused one has none', async () => {
    const told = await history();
    expect(told.map((line) => line.split(' ')[0])).toEqual(
      Array.from({ length: 11 }, (_, index) => (index === 1 ? 'command:Ada' : BY_USER)),
    );
    expect(told.map((line) => line.split(' ')[1])).toEqual([
      'date_set',
      'app_extended',
      'date_set',
      'app_extended',
      'date_set',
      'extension_ended',
      'extension_ended',
      'brownout_planned',
      'exemption_granted',
      'exemption_ended',
      'brownout_removed',
    ]);
    await expect(command(removeOne, {}, 'x')).rejects.toThrow('No brownout has this id');
    await expect(command(unextend, REASON, clientId)).rejects.toThrow('no more time');
    await expect(command(removeOne, { by: ' ' }, 'x')).rejects.toThrow('--by: must be a name');
    expect(await history()).toEqual(told);
  });

  test('an extension beyond a past date is ended with --force alone', async () => {
    await command(changeDate, { ...REASON, force: true }, 'retirement', at(now - 20 * DAY));
    await command(extend, { until: at(now + 90 * DAY), ...REASON }, clientId);
    await expect(command(unextend, REASON, clientId)).rejects.toThrow(
      /it would end all tokens of this app that are not connected at once.*--force/,
    );
    const ended = await command(unextend, { ...REASON, force: true }, clientId);
    expect(ended.json).toMatchObject({ before: at(now + 90 * DAY) });
  });
});
