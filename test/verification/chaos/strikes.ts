import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runCommand } from '../../processes/running-program.ts';
import type { BridgeMachine } from './bridge-machine.ts';
import { wasStarvedAround } from './judge/call-verdicts.ts';
import type { Round, StrikeKind } from './plan.ts';
import type { Trouble } from './record.ts';
import { rotateKeys } from './rotation.ts';
import type { ChaosRun } from './run.ts';
import { DRAIN_SECONDS } from './topology.ts';

/** What a round does. Each leaves both bridges running. */

type Play = (run: ChaosRun, round: Round) => Promise<unknown>;

const UP_LIMIT_MS = 90_000;
const LOOK_EVERY_MS = 50;

/** The balancer sends calls there again. */
async function untilUp({ topology: { balancer } }: ChaosRun, { server }: BridgeMachine): Promise<void> {
  for (const until = Date.now() + UP_LIMIT_MS; !(await balancer.isUp(server)); await delay(LOOK_EVERY_MS))
    if (Date.now() > until) throw new Error(`${server} is not taken in by the balancer`);
}

/** Both bridges serve, as the balancer sees them. */
export async function untilBothUp(run: ChaosRun): Promise<void> {
  await Promise.all(run.topology.machines.map((machine) => untilUp(run, machine)));
}

type Ending = 'kill' | 'stop';

/** How long before the end of a drain the balancer has to have noticed it, so that nothing is sent there any more. */
const NOTICED_BEFORE_MS = 500;

/** What the balancer sees while a bridge stops. */
interface SeenStop {
  /** When it takes the bridge for away. */
  noticedAt: number;
  /** Whether it takes the other bridge for away as well. Then it sends calls to both all the same (deploy/haproxy.cfg). */
  isOtherAway: boolean;
}

async function watchStop(
  { balancer, machines }: ChaosRun['topology'],
  { server }: BridgeMachine,
  signal: AbortSignal,
): Promise<SeenStop> {
  const other = machines.find((one) => one.server !== server)?.server ?? '';
  const seen: SeenStop = { noticedAt: Number.POSITIVE_INFINITY, isOtherAway: false };
  for (; !signal.aborted; await delay(LOOK_EVERY_MS)) {
    if (!(await balancer.isUp(server))) seen.noticedAt = Math.min(seen.noticedAt, Date.now());
    if (!(await balancer.isUp(other))) seen.isOtherAway = true;
  }
  return seen;
}

/**
 * A stop in order. On a machine that keeps the balancer from running, its checks come later than the drain bears; and on one
 * that keeps the other bridge from answering them, both are taken for away. That is the machine's fault, and noted.
 */
async function stopInOrder({ topology, record }: ChaosRun, machine: BridgeMachine) {
  const over = new AbortController();
  const beganAt = Date.now();
  const watching = watchStop(topology, machine, over.signal);
  await machine.stop();
  const endedAt = Date.now();
  over.abort();
  const { noticedAt, isOtherAway } = await watching;
  const isLate = noticedAt > endedAt - NOTICED_BEFORE_MS;
  const isMachine = isLate || (isOtherAway && wasStarvedAround(record, { startedAt: beganAt, endedAt }));
  // a drain that was shorter than it has to be is no fault of the machine
  if (endedAt - beganAt < DRAIN_SECONDS * 1000 || !isMachine) return;
  record.unnoticed.push({
    server: machine.server,
    isKill: false,
    from: endedAt - 2000,
    until: endedAt + 5000,
  });
}

async function replace(run: ChaosRun, machine: BridgeMachine, ending: Ending, version = machine.version) {
  await (ending === 'stop' ? stopInOrder(run, machine) : machine.kill());
  await machine.start(version);
  await untilUp(run, machine);
}

const one =
  (ending: Ending): Play =>
  (run, { machine, versions }) =>
    replace(run, run.topology.machines[machine], ending, versions[machine]);

const both =
  (ending: Ending): Play =>
  async (run, { machine }) => {
    for (const index of [machine, machine === 0 ? 1 : 0] as const)
      await replace(run, run.topology.machines[index], ending);
  };

/** Until every app is served again (`endTroubles`). */
function beginTrouble({ record }: ChaosRun, of: Trouble['of']): void {
  record.troubles.push({ of, from: Date.now(), until: Number.POSITIVE_INFINITY });
}

const endDatabase =
  (signal: 'SIGQUIT' | 'SIGINT'): Play =>
  async (run) => {
    beginTrouble(run, 'database');
    await run.topology.postgres.restart(signal);
  };

const reset = (port: number) =>
  promisify(execFile)('ss', ['-K', 'dst', '127.0.0.1', 'dport', '=', String(port)]);

/** The kernel ends the connections of the balancer to one bridge, as a network in between may. */
const cutConnections: Play = async ({ record, topology }, { machine, ms }) => {
  const { server, port } = topology.machines[machine];
  for (let n = 0; n < 3; n += 1) {
    const cut = { server, isKill: false, from: Date.now(), until: Number.POSITIVE_INFINITY };
    record.cuts.push(cut);
    await reset(port);
    cut.until = Date.now();
    await delay(ms / 3);
  }
};

const MANY = 5000;
/** A black hole takes answers away; refused connections do not. */
const SHORTEST_REFUSAL_MS = 2200;
const HOLE_MS = 1000;

const takeModernAway: Play = async (run, { ms }) => {
  const { proxy } = run.topology;
  beginTrouble(run, 'new API');
  if (ms < SHORTEST_REFUSAL_MS) {
    proxy.swallow();
    await delay(HOLE_MS);
    return proxy.mend();
  }
  proxy.inject({ fault: { kind: 'reset', at: 'open' }, times: MANY, beginning: '' });
  await delay(ms);
  return proxy.clear();
};

/** Of each piece of a request and of its answer: well within what callers wait, and nobody may notice more than that. */
const SLOWER_BY = 0.1;

const slowModern: Play = async ({ topology: { proxy } }, { ms }) => {
  proxy.inject({ fault: { kind: 'latency', ms: ms * SLOWER_BY }, times: MANY, beginning: 'POST ' });
  await delay(ms);
  proxy.clear();
};

const migrate: Play = async (run, round) => {
  await runCommand(run.topology.settings, ['migrate'], run.topology.folders.newer);
  await one('stop')(run, round);
};

const killAndRotate: Play = async (run, round) => {
  await Promise.all([rotateKeys(run), one('kill')(run, round)]);
};

const PLAYS: Record<StrikeKind, Play> = {
  kill: one('kill'),
  'kill both': both('kill'),
  stop: one('stop'),
  'stop both': both('stop'),
  upgrade: one('stop'),
  downgrade: one('stop'),
  'replace killed': one('kill'),
  'crash database': endDatabase('SIGQUIT'),
  'restart database': endDatabase('SIGINT'),
  'cut connections': cutConnections,
  'new API away': takeModernAway,
  'new API slow': slowModern,
  'rotate keys': (run) => rotateKeys(run),
  'kill and rotate': killAndRotate,
  migrate,
};

/** Plays the strike of a round. */
export async function strike(run: ChaosRun, round: Round): Promise<void> {
  await PLAYS[round.kind](run, round);
  await untilBothUp(run);
}
