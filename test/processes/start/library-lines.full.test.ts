import { until } from '../../support/servers/held-answer.ts';
import { buildProgram } from '../running-program.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../whole-system.ts';

/** Every line of the running program on standard error is JSON, also what a library prints. */

let place: Place;
let system: WholeSystem;

/** Prints as a library would, once the program serves. */
const PRINTING = `process.on('SIGUSR2', () => {
  console.warn('raw text of a library');
  process.emitWarning('of Node itself', 'ExampleWarning');
});`;

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
  const printing = `data:text/javascript,${encodeURIComponent(PRINTING)}`;
  const NODE_OPTIONS = `--import=${printing}`;
  system = await startWholeSystem({ ...place.settings, LOG_LEVEL: 'info', NODE_OPTIONS });
});

afterAll(async () => {
  await system.stop();
  place.remove();
});

test('a library and Node print, and every line is an object of the log', async () => {
  process.kill(system.pid, 'SIGUSR2');
  await until(() => system.complaints().includes('ExampleWarning'));
  const lines = system
    .complaints()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.every(({ level, process: name }) => level !== undefined && name !== undefined)).toBe(true);
  expect(lines).toContainEqual(expect.objectContaining({ text: 'raw text of a library', level: 'warn' }));
});
