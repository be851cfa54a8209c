// One start at a time in one folder: the lock is a folder beside dist/, since `npm ci` empties node_modules.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const lockFolder = fileURLToPath(new URL('../dist-lock', import.meta.url));
const ownerFile = join(lockFolder, 'owner.json');
const mark = randomUUID();
const BEAT_MS = 2_000;
const STALE_MS = 20_000;
const WAIT_MS = 15 * 60_000;

const isOwner = () => readOwner().mark === mark;

function readOwner() {
  return existsSync(ownerFile) ? JSON.parse(readFileSync(ownerFile, 'utf8') || '{}') : { mark: 'nobody' };
}

function writeOwner(more = {}) {
  writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, mark, ...more }));
}

/** Names the process group that works for the holder, so that it is waited for when the holder itself is killed. */
export function nameWorker(group) {
  writeOwner({ group });
}

function takeLock() {
  try {
    mkdirSync(lockFolder);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return takeOverStaleLock();
  }
  writeOwner();
  return true;
}

// The marker's mkdir decides between several that see the same dead owner: exactly one of them goes on.
function takeOverStaleLock() {
  try {
    const owner = readOwner();
    if (isHeld(owner)) return false;
    mkdirSync(join(lockFolder, `after-${owner.mark}`));
    writeOwner();
    return true;
  } catch {
    return false;
  }
}

// The beat is what counts where process ids start anew, as in a restarted container.
function isHeld({ pid, group }) {
  if (group !== undefined && isAlive(-group)) return true;
  return Date.now() - statSync(lockFolder).mtimeMs < STALE_MS && (pid === undefined || isAlive(pid));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0) && !isZombie(Math.abs(pid));
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// In a container whose first process collects no orphans, what has ended can still be signalled for ever.
function isZombie(pid) {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && /\) Z /.test(readFileSync(stat, 'utf8'));
}

/** Runs `work` while no other start in this folder does; `onWait` is called once if it has to wait. */
export async function underLock(work, onWait) {
  const since = Date.now();
  for (let waited = false; !takeLock(); waited = true) {
    if (!waited) onWait();
    if (Date.now() - since > WAIT_MS)
      throw new Error('Gave up waiting. If nothing else runs, delete dist-lock/.');
    await sleep(200);
  }
  const beat = setInterval(() => isOwner() && utimesSync(lockFolder, new Date(), new Date()), BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    if (isOwner()) releaseLock();
  }
}

// Renamed first: a folder that is being deleted piece by piece would look like a lock without an owner.
function releaseLock() {
  const gone = `${lockFolder}-${mark}`;
  renameSync(lockFolder, gone);
  rmSync(gone, { recursive: true, force: true });
}
