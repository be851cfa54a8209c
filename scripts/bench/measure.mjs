// Rounds of all contenders, one after the other, in the reversed order each time: what else the machine does meets all of
// them. A ratio is taken within each round, and is the median over the rounds.
import { spreadOf, summary } from './figures.mjs';
import { cpuOf, memoryOf, run, script } from './process.mjs';

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** What a load of a contender costs. `pids` are its processes. */
async function measure({ pids, ports, load }, limits) {
  const before = sum(pids.map(cpuOf));
  const wanted = { ports, ...load, ...limits };
  const done = JSON.parse(await run([script('load.mjs'), JSON.stringify(wanted)]));
  if (done.failures > 0) throw new Error(`${done.failures} of ${done.calls} calls failed`);
  // A file whose lines serve once each is read on in the next round.
  if (load.order === 'once') load.from = done.next;
  return {
    cpu: ((sum(pids.map(cpuOf)) - before) * 1000) / done.calls,
    rate: done.calls / done.seconds,
    p50: done.p50,
    p99: done.p99,
    memory: sum(pids.map(memoryOf)),
  };
}

/**
 * The rounds of each contender, by name, after one that is not counted. A round takes some seconds or, on a machine that has
 * little time for each, some calls. The first lasts `warmUp` seconds where that is given: V8 optimizes a large program only
 * after tens of thousands of calls. It has no pace.
 */
export async function roundsOf(contenders, { rounds, seconds, calls, pace, connections, warmUp }) {
  const end = { connections, ...(calls === undefined ? { seconds } : { calls }) };
  const limits = { ...end, pace };
  const short = calls === undefined ? { ...end, seconds: seconds / 2 } : end;
  const first = warmUp === undefined ? short : { connections, seconds: warmUp };
  for (const contender of contenders) await measure(contender, first);
  const measured = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) measured.get(contender.name).push(await measure(contender, limits));
  }
  return measured;
}

/** A comparison within each round. `of` takes the rounds of the contender and of the one that it is compared with. */
export function compare({ what, of, wanted }, rounds, others) {
  return { what, wanted, value: spreadOf(rounds.map((round, at) => of(round, others[at]))) };
}

/** Its CPU over that of the bridge: how many times cheaper the bridge is. */
export const peerOverBridge = (wanted) => ({
  what: 'its CPU / the bridge’s',
  wanted,
  of: (peer, bridge) => peer.cpu / bridge.cpu,
});

/** The CPU of the bridge over that of the peer: how many times dearer the bridge is. */
export const bridgeOverPeer = (wanted) => ({
  what: 'the bridge’s CPU / its',
  wanted,
  of: (peer, bridge) => bridge.cpu / peer.cpu,
});

/** The CPU of a contender over that of the one before it, both of the bridge. */
export const overOther = (other, wanted) => ({
  what: `its CPU / that of ${other}`,
  wanted,
  of: (one, first) => one.cpu / first.cpu,
});

/** The bridge of another checkout (`--against`), in every row that has it. */
export const BEFORE = 'bridge before';

const CHANGE = { [BEFORE]: { with: 'bridge', ...peerOverBridge(undefined) } };

/** The lines of the table of one work. `comparisons` has, by contender, the other contender and how to compare. */
export function linesOf(work, measured, comparisons = {}) {
  return [...measured].map(([contender, rounds]) => {
    const comparison = { ...CHANGE, ...comparisons }[contender];
    const compared = comparison && compare(comparison, rounds, measured.get(comparison.with));
    return { work, contender, figures: summary(rounds), compared };
  });
}
