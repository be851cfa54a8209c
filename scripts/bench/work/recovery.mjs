// The new API falls silent and comes back. Half of the callers have a live access token, the others need a refresh at nearly
// every call. A stopped process is the silence: connections come about, and nothing comes back.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { startCallers } from '../callers.mjs';
import { atMost, spreadOf } from '../figures.mjs';
import { grantIdOf } from '../fill-rows.mjs';
import { tokenOf } from '../rows.mjs';
import { fillAsking, SHORT, startNewApi } from './new-api.mjs';

const CALLERS = 30;
const ROUNDS = 3;
const SECOND = 1000;
const SILENT_FOR = 20 * SECOND;
/** No answer at once takes so long, and no caller who waits for the new API has less. In milliseconds. */
const WAITS = 500;
/** The shortest that a production accepts, in seconds, and what a grant in doubt may take beside it. */
const [QUIET, BESIDE_QUIET] = [60, 60];
const GIVES_UP_AFTER = 2 * (QUIET + BESIDE_QUIET) * SECOND;

/** The callers for whose grants a refresh was begun and has no answer yet, by their places. */
function openUnanswered(file, count) {
  const places = new Map(Array.from({ length: count }, (_, at) => [grantIdOf(at), at]));
  const database = new Sqlite(file, { readonly: true });
  const statement = database.prepare("select id from grants where state <> 'ready'").pluck();
  return { now: () => statement.all().map((id) => places.get(id)), close: () => database.close() };
}

/** When each caller was first answered anew by a call that began after a moment; undefined while one was not. */
function answeredAnew(calls, count, since) {
  const times = new Map();
  for (const { at, begun, ended, isNew } of calls)
    if (isNew && begun > since && !times.has(at)) times.set(at, ended - since);
  return times.size === count ? times : undefined;
}

async function until(find) {
  const gaveUpAt = performance.now() + GIVES_UP_AFTER;
  while (performance.now() < gaveUpAt) {
    const found = find();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`not within ${GIVES_UP_AFTER} ms`);
}

const quantile = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? Infinity;

const last = (numbers) => Math.max(0, ...numbers) / SECOND;

/** Silence for a while. When it began and ended, and the callers of whose grants something was sent and is unanswered then. */
async function silence(api, unanswered) {
  const begun = performance.now();
  process.kill(api.pid, 'SIGSTOP');
  try {
    await pause(SILENT_FOR);
    return { begun, back: performance.now(), sent: new Set(unanswered.now()) };
  } finally {
    process.kill(api.pid, 'SIGCONT');
  }
}

/** How callers fared in the silence: until when some waited, in seconds, and how long an answer took then (p99, milliseconds). */
function waitsIn(calls, { begun, back }) {
  const meant = calls.filter((call) => call.ended > begun && call.begun < back);
  // A call that was not over at the end waited until then.
  const times = meant.map((call) => ({ begun: call.begun, ended: Math.min(call.ended, back) }));
  const waiting = times.filter((call) => call.ended - call.begun > WAITS).map(({ ended }) => ended);
  const open = Math.max(begun, ...waiting);
  const afterwards = times.filter((call) => call.begun > open).map((call) => call.ended - call.begun);
  return { opened: (open - begun) / SECOND, p99: quantile(afterwards, 0.99) };
}

/** One silence and its end. `tokens` are those of the callers: first the live ones. */
async function measure({ api, bridge, unanswered, tokens }) {
  const callers = startCallers(bridge.ports[0], tokens);
  const { calls } = callers;
  try {
    await until(() => answeredAnew(calls, tokens.length, 0));
    const { sent, ...times } = await silence(api, unanswered);
    const anew = await until(() => answeredAnew(calls, tokens.length, times.back));
    const of = (isMeant) => last([...anew].filter(([at]) => isMeant(at)).map(([, time]) => time));
    return {
      ...waitsIn(calls, times),
      reads: of((at) => at < CALLERS),
      refreshes: of((at) => at >= CALLERS && !sent.has(at)),
      doubts: of((at) => sent.has(at)),
      sent: sent.size,
      refused: calls.filter(({ isAnswered }) => !isAnswered).length,
    };
  } finally {
    await callers.stop();
  }
}

/** What is measured, by the name of its figure, and what is wanted of it. */
const WANTED = {
  opened: ['s until callers no longer wait', atMost(5)],
  p99: ['p99 of last known answers then, ms', atMost(50)],
  reads: ['s until the last read is answered anew', atMost(30)],
  refreshes: ['s until the last grant of which nothing was sent is refreshed', atMost(30)],
  doubts: [`s until the last other grant is refreshed, quiet for ${QUIET}`, atMost(QUIET + BESIDE_QUIET)],
  sent: ['grants of which something was sent', undefined],
  refused: ['calls that got no answer', undefined],
};

export async function recovery(stage) {
  const api = await startNewApi(stage, SHORT);
  const wanted = { tokens: 2 * CALLERS, pairs: { live: CALLERS } };
  // Callers come again later than that, so each call asks, and a last known answer is kept as in production.
  const asking = await fillAsking(stage, 'silent', { api, wanted, fresh: 1 });
  const bridge = await stage.serve('bridge', { ...asking, IN_DOUBT_QUIET_SECONDS: String(QUIET) });
  const tokens = Array.from({ length: 2 * CALLERS }, (_, at) => tokenOf(at));
  const unanswered = openUnanswered(join(bridge.folder, 'bridge.db'), tokens.length);
  const rounds = [];
  while (rounds.length < Math.min(ROUNDS, stage.options.rounds))
    rounds.push(await measure({ api, bridge, unanswered, tokens }));
  unanswered.close();
  return Object.entries(WANTED).map(([name, [what, limit]]) => ({
    work: `the new API is silent for ${SILENT_FOR / SECOND} s and comes back`,
    contender: 'bridge',
    compared: { what, value: spreadOf(rounds.map((round) => round[name])), wanted: limit },
  }));
}
