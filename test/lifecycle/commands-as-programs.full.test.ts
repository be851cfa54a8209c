import { run } from '../processes/commands/operator-command.ts';
import { buildProgram } from '../processes/running-program.ts';
import { until } from '../support/servers/held-answer.ts';
import { startAdminBridge } from './support/admin-bridge.ts';

/** The operator's commands about dates as programs, beside a bridge that runs. */

const said = (words: string): unknown => expect.stringContaining(words);

test('as programs: 2 for words that cannot be read, 1 for what is refused; a bridge that runs follows within two seconds', async () => {
  await buildProgram();
  const admin = await startAdminBridge();
  const { bridge, varDir } = admin;
  const { database, context } = bridge;
  const settings = {
    VAR_DIR: varDir,
    DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
  };
  const set = (name: string, moment: string, ...more: string[]) =>
    run(settings, 'dates', 'set', name, moment, '--reason', 'x', ...more);
  const [wrongMoment, wrongName, past] = await Promise.all([
    set('retirement', '2027-13-01'),
    set('everything', '2027-02-01'),
    set('retirement', '2020-02-01', '--json'),
  ]);
  expect(wrongMoment).toEqual({ code: 2, output: '', complaints: said('2027-02-01T09:00:00Z') });
  expect(wrongName).toEqual({ code: 2, output: '', complaints: said('retirement, sunset') });
  expect(past).toEqual({ code: 1, output: '', complaints: said('--force') });
  await context.lifecycle.refresh();
  expect([context.lifecycle.current().dates, await admin.history()]).toEqual([{}, []]);
  expect(await set('retirement', '2020-02-01', '--force')).toMatchObject({ code: 0, complaints: '' });
  await until(() => context.lifecycle.current().dates.retirement === Date.parse('2020-02-01'), 10_000);
  const served = await (await fetch(`${bridge.url}/lifecycle.json`)).json();
  expect(served).toMatchObject({ retirement: { at: '2020-02-01T00:00:00.000Z' } });
  await admin.stop();
});
