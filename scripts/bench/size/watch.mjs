// `node --import scripts/bench/size/watch.mjs …` with WATCH_FILE in the environment: watches a program of the bridge from
// inside, and writes what it saw to that file when the program ends. A gap is a time in which the event loop had no turn.
// `held` is the gap without the time in which the machine gave the processor to other programs (`/proc/…/schedstat`), so
// that a busy machine does not count. A statement is one call of SQLite by the main thread.
import { openSync, readSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const BEAT = 5;
/** Gaps and statements below this many milliseconds are only counted. */
const LISTED_FROM = 15;
const LISTED_MOST = 30;
const TEXT_MOST = 160;

const longest = { gaps: [], statements: [] };

/** What a program does at its start, such as reading its modules, is no background work. */
const { WATCH_FILE, WATCH_FROM, WATCH_STATEMENTS } = process.env;
const delays = monitorEventLoopDelay({ resolution: BEAT });
let begunAt = Infinity;

function begin() {
  begunAt = Math.min(begunAt, performance.now());
  delays.reset();
}

function list(kind, entry) {
  const all = longest[kind];
  all.push(entry);
  all.sort((one, other) => other.held - one.held);
  all.length = Math.min(all.length, LISTED_MOST);
}

const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(128);

/** How long this thread was ready and did not get a processor, in milliseconds since its start. */
function waited() {
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

const rounded = (number) => Math.round(number * 10) / 10;
const startedAt = Date.now();
let heldLong = 0;

/** Watches the turns of the event loop by a timer. */
function watchTurns() {
  let last = { at: performance.now(), waited: waited() };
  setInterval(() => {
    const now = { at: performance.now(), waited: waited() };
    const gap = now.at - last.at - BEAT;
    const held = gap - (now.waited - last.waited);
    const isCounted = last.at >= begunAt;
    if (isCounted && held > 50) heldLong += 1;
    if (isCounted && held > LISTED_FROM)
      list('gaps', { held: rounded(held), gap: rounded(gap), at: Date.now() - startedAt });
    last = now;
  }, BEAT).unref();
}

function timed(run, text) {
  return function (...given) {
    if (begunAt === Infinity && text(this, given).includes(WATCH_FROM)) begin();
    const [begun, before] = [performance.now(), waited()];
    try {
      return run.apply(this, given);
    } finally {
      const took = performance.now() - begun;
      if (begun >= begunAt && took > LISTED_FROM) {
        const held = rounded(took - (waited() - before));
        list('statements', {
          held,
          took: rounded(took),
          at: Date.now() - startedAt,
          text: text(this, given),
        });
      }
    }
  };
}

const shortened = ({ source }) => source.replaceAll(/\s+/g, ' ').slice(0, TEXT_MOST);

/** Times each call of SQLite. */
async function watchStatements() {
  const { Sqlite } = await import(pathToFileURL('dist/shared/sqlite.js').href);
  const probe = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(probe.prepare('select 1'));
  for (const name of ['all', 'get', 'run']) statements[name] = timed(statements[name], shortened);
  for (const name of ['exec', 'pragma', 'prepare'])
    Sqlite.prototype[name] = timed(Sqlite.prototype[name], (_, [text]) =>
      `${name} ${text}`.slice(0, TEXT_MOST),
    );
  probe.close();
}

function writeSeen() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const seen = {
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    memory: maxRSS / 1024,
    delay: { p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 },
    heldLong,
    ...longest,
  };
  writeFileSync(WATCH_FILE, JSON.stringify(seen));
}

if (isMainThread && WATCH_FILE) {
  delays.enable();
  if (WATCH_STATEMENTS !== '0') await watchStatements();
  watchTurns();
  // A server is watched from the signal on, a command from a statement on.
  process.once('SIGUSR2', begin);
  process.on('exit', writeSeen);
}
