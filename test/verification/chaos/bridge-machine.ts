import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import type { Settings } from '../../processes/running-program.ts';
import type { Side } from './plan.ts';

/** One bridge of the compose file: a machine on which either version runs, with a folder of its own. */

/** A time in which connections to a bridge were cut by the chaos: its process was killed, or they were reset. */
export interface Cut {
  server: string;
  isKill: boolean;
  from: number;
  until: number;
}

export interface BridgeMachine {
  index: number;
  /** Its name in the balancer's file. */
  server: string;
  port: number;
  settings: Settings;
  /** What runs, or ran last. */
  version: Side;
  /** The process ids of all its processes so far. */
  pids: number[];
  /** Ends of a stop that were not 0, and what processes complained of that were not killed. */
  faults: string[];
  pid(): number;
  start(version: Side): Promise<void>;
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface MachinePlace {
  index: number;
  port: number;
  folder: string;
  settings: Settings;
  folders: Record<Side, string>;
  cuts: Cut[];
}

/** Makes a machine on which nothing runs yet. */
export function createBridgeMachine({ index, port, folder, ...parts }: MachinePlace): BridgeMachine {
  const server = `bridge-${index + 1}`;
  const varDir = join(folder, server);
  mkdirSync(varDir, { mode: 0o700 });
  const settings = { ...parts.settings, PORT: String(port), VAR_DIR: varDir };
  let running: BridgeProcess | undefined;
  const machine: BridgeMachine = {
    index,
    server,
    port,
    settings,
    version: 'older',
    pids: [],
    faults: [],
    pid: () => (running?.isRunning() ? running.pid() : 0),
    async start(version) {
      machine.version = version;
      running = await startBridgeProcess({ settings, folder: parts.folders[version] });
      machine.pids.push(running.pid());
    },
    async stop() {
      const code = await running?.stop();
      if (code !== 0)
        machine.faults.push(`a stop of ${server} ended with ${code}: ${running?.complaints().slice(0, 500)}`);
    },
    async kill() {
      const cut = { server, isKill: true, from: Date.now(), until: Number.POSITIVE_INFINITY };
      parts.cuts.push(cut);
      await running?.kill();
      cut.until = Date.now();
    },
  };
  return machine;
}
