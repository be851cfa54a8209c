import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { programFolder } from './program-folder.ts';

/** A part of the system that runs as a process of its own and is reached over HTTP alone. */
export interface Child<Ready> {
  ready: Ready;
  /** Calls back when the process ends although nobody called `stop`. */
  onUnexpectedEnd(callback: () => void): void;
  stop(): Promise<void>;
}

type ChildMessage<Ready> = ({ type: 'ready' } & Ready) | { type: 'failed'; message: string };

function firstAnswer<Ready>(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once('message', (message: ChildMessage<Ready>) => {
      if (message.type === 'failed') return reject(new Error(message.message));
      resolve(message);
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it was ready`)));
    child.once('error', reject);
  });
}

/**
 * Starts `entry` (a path below src, as it is built). The settings go over IPC, because process lists and environments
 * would show them. `variables` is the whole environment of the child. The child ends with its parent, because the child
 * sees the channel close.
 */
export async function startChild<Ready>(
  entry: string,
  settings: object,
  variables: NodeJS.ProcessEnv = {},
): Promise<Child<Ready>> {
  // A process group of its own: Ctrl-C in a terminal reaches only the parent, and the parent stops its parts in order.
  const options = { env: { PATH: '', ...variables }, detached: true };
  const child = fork(join(programFolder, entry), [], options);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let isStopping = false;
  child.send({ type: 'start', settings });
  const ready = await firstAnswer<Ready>(child);
  return {
    ready,
    onUnexpectedEnd: (callback) => void ended.then(() => (isStopping ? undefined : callback())),
    async stop() {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
