// One machine of the rehearsal: the built bridge without its servers, which plans and delivers when it is told to, by the
// clock that the rehearsal sets.
import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sabotaged } from './sabotage.mjs';

const [build, clockFile, sabotage] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(build, 'dist', path)).href);

const handle = openSync(clockFile, 'r');
const told = new Float64Array(2);

/** The other side of `SettableClock.share`. */
function now() {
  readSync(handle, told, 0, told.byteLength, 0);
  const [runs, value] = told;
  return runs ? Date.now() + value : value;
}

process.once('disconnect', () => process.exit(0));
try {
  const { readConfig } = await load('config/config.js');
  const { openContext } = await load('app/open-context.js');
  const { planReminders } = await load('domain/reminders/plan-reminders.js');
  const { deliverReminders } = await load('domain/reminders/deliver.js');
  const { createLogger } = await load('shared/log/logger.js');
  const config = readConfig();
  const logger = createLogger({ level: config.logLevel, name: 'machine' });
  const clock = { now, elapsed: now, wall: now };
  const { context } = await openContext(config, config.upstream, { clock, logger });
  const works = { plan: planReminders, deliver: deliverReminders };
  const machine = sabotaged(context, sabotage);
  const run = async (work) => {
    const begun = { at: performance.now(), cpu: process.cpuUsage() };
    // A process reads the dates every second; a second of the rehearsal is over at once.
    await context.lifecycle.refresh();
    await works[work](machine);
    const { user, system } = process.cpuUsage(begun.cpu);
    return { ms: performance.now() - begun.at, cpu: (user + system) / 1000 };
  };
  process.on('message', ({ work }) => {
    run(work).then(
      (took) => process.send({ work, took }),
      (error) => process.send({ work, failure: error.stack ?? String(error) }),
    );
  });
  process.send({ work: 'start' });
} catch (error) {
  process.send({ work: 'start', failure: error.stack ?? String(error) }, () => process.exit(1));
}
