import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One machine: a process of its own that plans and delivers when it is told to, and can be killed at any moment. */

const program = join(import.meta.dirname, 'programs/machine.mjs');

/** In milliseconds: how long, and of that in the processor. */
export interface Took {
  ms: number;
  cpu: number;
}

interface Answer {
  work: string;
  took?: Took;
  failure?: string;
}

export interface MachineOptions {
  build: string;
  clockFile: string;
  sabotage: string;
  settings: Record<string, string>;
}

export interface Machine {
  /** What it took; undefined when it was killed meanwhile. */
  run(work: 'plan' | 'deliver'): Promise<Took | undefined>;
  /** kill -9, at once. */
  kill(): void;
  isKilled(): boolean;
  /** Starts it again, after a kill or instead of one. */
  restart(): Promise<void>;
  /** The last lines that it complained with. */
  complaints(): string;
  close(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Answer>;
}

async function launch(options: MachineOptions, said: { text: string }): Promise<Running> {
  const { build, clockFile, sabotage, settings } = options;
  const child = fork(program, [build, clockFile, sabotage], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  const keep = (text: string) => (said.text = (said.text + text).slice(-20_000));
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', keep);
  const ended = once(child, 'exit').then(([code, signal]): Answer => {
    return signal === 'SIGKILL'
      ? { work: 'killed' }
      : { work: 'ended', failure: `it ended with ${code ?? signal}` };
  });
  const answer = await Promise.race([once(child, 'message').then(([first]) => first as Answer), ended]);
  if (answer.failure !== undefined)
    throw new Error(`a machine does not start: ${answer.failure}\n${said.text}`);
  return { child, ended };
}

async function runOn({ child, ended }: Running, work: 'plan' | 'deliver'): Promise<Answer> {
  const answered = once(child, 'message').then(([answer]) => answer as Answer);
  child.send({ work }, () => undefined);
  return Promise.race([answered, ended]);
}

/** Starts one and waits until it can be told what to do. */
export async function startMachine(options: MachineOptions): Promise<Machine> {
  const said = { text: '' };
  let running = await launch(options, said);
  const isKilled = () => running.child.signalCode === 'SIGKILL' || running.child.killed;
  return {
    async run(work) {
      const answer = await runOn(running, work);
      if (answer.failure !== undefined)
        throw new Error(`a machine fails to ${work}: ${answer.failure}\n${said.text}`);
      return answer.took;
    },
    kill: () => void running.child.kill('SIGKILL'),
    isKilled,
    async restart() {
      running.child.kill('SIGKILL');
      await running.ended;
      running = await launch(options, said);
    },
    complaints: () => said.text,
    async close() {
      running.child.kill('SIGKILL');
      await running.ended;
    },
  };
}
