import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { OldAddresses } from '../servers/connect-proxy.ts';

export interface ClientProcess {
  /** Sends the program one order and waits for its one answer. */
  ask(order: object): Promise<unknown>;
  stop(): Promise<void>;
}

const programs = resolve(import.meta.dirname, '../../clients/programs');

function environment(old: OldAddresses, folder: string): NodeJS.ProcessEnv {
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, old.authority);
  return {
    PATH: process.env['PATH'],
    NODE_EXTRA_CA_CERTS: authorityFile,
    HTTPS_PROXY: old.proxyUrl,
    OLD_ADDRESSES_PORT: String(old.tlsPort),
  };
}

async function answerOf(child: ChildProcess, complaints: string[]): Promise<unknown> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([status]) => {
    throw new Error(`the client program ended with ${status}: ${complaints.join('')}`);
  });
  const message = once(child, 'message', { signal: ended.signal }).then(([value]: unknown[]) => value);
  try {
    return await Promise.race([message, exit]);
  } finally {
    ended.abort();
    await Promise.allSettled([message, exit]);
  }
}

/** Starts a program of test/clients/programs in which an old client library runs, for which the old hosts are local. */
export async function startClient(
  program: string,
  old: OldAddresses,
  env: NodeJS.ProcessEnv = {},
): Promise<ClientProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'old-client-'));
  const child = fork(join(programs, program), {
    env: { ...environment(old, folder), ...env },
    execArgv: ['--require', join(programs, 'old-addresses.cjs')],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const complaints: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  await answerOf(child, complaints);
  return {
    async ask(order) {
      const answer = answerOf(child, complaints);
      child.send(order);
      return answer;
    },
    async stop() {
      if (child.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
