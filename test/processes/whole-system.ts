import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LegacyApp, Person } from '../support/callers/authorize.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Settings, startProgram } from './running-program.ts';

const LAST_LINE = 'Stop with Ctrl-C.';
const START_LIMIT_MS = 60_000;

/** A folder and three ports of its own for one whole system. */
export interface Place {
  varDir: string;
  settings: Settings & { PORT: string; MODERN_PORT: string; DEMO_PORT: string };
  remove(): void;
}

/** A place that nothing else uses. */
export async function choosePlace(): Promise<Place> {
  const varDir = mkdtempSync(join(tmpdir(), 'whole-system-'));
  const [PORT, MODERN_PORT, DEMO_PORT] = [await freePort(), await freePort(), await freePort()].map(String);
  return {
    varDir,
    settings: {
      PORT: PORT ?? '',
      MODERN_PORT: MODERN_PORT ?? '',
      DEMO_PORT: DEMO_PORT ?? '',
      VAR_DIR: varDir,
      LOG_LEVEL: 'error',
    },
    remove: () => rmSync(varDir, { recursive: true, force: true }),
  };
}

/** Bridge, new API, demo integration and, where its port is given, an old API in their processes, told apart by what they printed. */
export interface WholeSystem {
  bridgeUrl: string;
  modernUrl: string;
  demoUrl: string;
  person: Person;
  /** The demo app with the callback that shows the code on a page. */
  app: LegacyApp;
  ownerToken: string;
  /** Everything that the start printed. */
  welcome: string;
  pid: number;
  complaints(): string;
  /** Everything that it printed until now. */
  output(): string;
  /** The exit code, once it has ended by itself or by `stop`. */
  ended: Promise<number | null>;
  /** What Ctrl-C in a terminal does: SIGINT to all its processes at once; the exit code. */
  interrupt(): Promise<number | null>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

function printed(welcome: string, label: string): string {
  const value = new RegExp(`^ *${label}:? +(\\S+)`, 'm').exec(welcome)?.[1];
  if (value === undefined) throw new Error(`the start printed no ${label}: ${welcome}`);
  return value;
}

function readWelcome(welcome: string) {
  const read = (label: string) => printed(welcome, label);
  return {
    bridgeUrl: read('bridge'),
    modernUrl: read('new API'),
    demoUrl: read('demo integration'),
    person: { login: read('demo e-mail'), password: read('demo password') },
    app: {
      clientId: read('demo client_id'),
      clientSecret: read('demo client_secret'),
      callback: 'urn:ietf:wg:oauth:2.0:oob',
    },
    ownerToken: read('demo token'),
  };
}

/** Starts everything and waits until it says where to go. */
export async function startWholeSystem(settings: Settings): Promise<WholeSystem> {
  const { process: child, said, ended } = startProgram(settings);
  const until = Date.now() + START_LIMIT_MS;
  while (!said.output.includes(LAST_LINE)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said.complaints}`);
    if (Date.now() > until) throw new Error(`it is not ready: ${said.output}${said.complaints}`);
    await pause(25);
  }
  return {
    ...readWelcome(said.output),
    welcome: said.output,
    pid: child.pid ?? 0,
    complaints: () => said.complaints,
    output: () => said.output,
    ended,
    async interrupt() {
      process.kill(-(child.pid ?? 0), 'SIGINT');
      return ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
