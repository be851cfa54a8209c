// Named points in a bridge process, and what happens when one is reached. Everything is told to the journal
// synchronously, so that a kill directly afterwards takes nothing of it away.
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';

const journal = openSync(process.env.CAMPAIGN_JOURNAL, 'a', 0o600);
const machineNow = Date.now;
const FAULTS = {
  sqlite: ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_IOERR'],
  postgres: ['53100', '57P01', '08006'],
};

let traps = [];

/** One line of the journal. */
export function note(entry) {
  writeSync(journal, `${JSON.stringify({ at: machineNow(), pid: process.pid, ...entry })}\n`);
}

/** Sets the traps of a round, and forgets those before. */
export function arm(wanted) {
  traps = wanted.map((trap) => ({ left: 1, skip: 0, ...trap }));
}

// Several processes may hold the same trap: the one that can make the file springs it.
function isFirst({ once }) {
  if (once === undefined) return true;
  try {
    closeSync(openSync(once, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function storageFault({ database, variant = 0 }) {
  const codes = FAULTS[database];
  const error = new Error('the campaign made the database fail');
  return Object.assign(error, {
    code: codes[variant % codes.length],
    [Symbol.for('grantbridge.storage-fault')]: true,
  });
}

const PATIENCE_MS = 5000;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/** The process stands still until the campaign has cut its way to the database. */
function waitFor(file) {
  for (const until = machineNow() + PATIENCE_MS; machineNow() < until && !existsSync(file); )
    Atomics.wait(nobody, 0, 0, 5);
}

function spring(trap) {
  note({ what: 'hit', point: trap.point, action: trap.action });
  if (trap.action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (trap.action === 'stop') process.kill(process.pid, 'SIGSTOP');
  if (trap.action === 'cut') waitFor(`${trap.once}.done`);
  if (trap.action === 'fail') throw storageFault(trap);
}

/** Called where a named point is passed. */
export function reach(point) {
  for (const trap of traps) {
    if (trap.point !== point || trap.left <= 0) continue;
    if (trap.skip > 0) trap.skip -= 1;
    else {
      trap.left -= 1;
      if (isFirst(trap)) spring(trap);
    }
  }
}

/** The function with a point before it and one after it. */
export function pointed(label, original) {
  return async (...parts) => {
    reach(`${label}.before`);
    const result = await original(...parts);
    reach(`${label}.after`);
    return result;
  };
}
