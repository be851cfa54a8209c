import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../src/domain/context.ts';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { copyBuild } from '../shared/build-copy.ts';
import { createEnds } from '../shared/ends.ts';
import { type MailServer, startMailServer } from '../shared/mail-server.ts';
import { modernSettings, startModernProcess } from '../shared/modern-process.ts';
import { layNetwork, type Network } from '../shared/network.ts';
import { openOwnContext } from '../shared/own-context.ts';
import { createMachine, type Machine, type RestartedDatabase } from './machine.ts';
import type { SoakOptions } from './options.ts';

/** Everything that a soak runs on: machines, a database, a network that can fail, a strict new API, a mail server. */
export interface Ground extends Network {
  /** What is kept where something was wrong: logs, the plan, the history. */
  folder: string;
  build: string;
  machines: readonly Machine[];
  /** The same database and keys, in this process. */
  context: Context;
  mail: MailServer;
  postgres: TestPostgres | undefined;
  /** The file of the new API's own database. */
  modernFile: string;
  /** The process id of the new API. */
  modernPid: number;
  database: RestartedDatabase;
  close(): Promise<void>;
}

const SECRET = 'the-secret-of-the-bridge-in-a-soak';

interface Ports {
  bridges: number[];
  network: number;
  recorder: number;
  modern: number;
}

async function takePorts(machines: number): Promise<Ports> {
  const bridges: number[] = [];
  while (bridges.length < machines) bridges.push(await freePort());
  return { bridges, network: await freePort(), recorder: await freePort(), modern: await freePort() };
}

interface Place {
  folder: string;
  ports: Ports;
  databaseUrl: string;
  mailPort: number;
}

function settingsOf({ pace }: SoakOptions, place: Place, index: number): Record<string, string> {
  const { folder, ports, databaseUrl, mailPort } = place;
  const varDir = join(folder, `machine-${index}`);
  const modern = `http://127.0.0.1:${ports.network}`;
  return {
    PORT: String(ports.bridges[index]),
    PUBLIC_URL: `http://127.0.0.1:${ports.bridges[0]}`,
    VAR_DIR: varDir,
    DATABASE_URL: databaseUrl,
    KEYS_FILE: join(varDir, 'keys.json'),
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    MODERN_CLIENT_SECRET: SECRET,
    IN_DOUBT_QUIET_SECONDS: String(pace.quietSeconds),
    PROFILES_FRESH_SECONDS: String(pace.freshSeconds),
    DRAIN_SECONDS: String(pace.drainSeconds),
    LEGACY_RATE_LIMIT: '0',
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    MAIL_FROM: 'no-reply@bridge.example',
    LOG_LEVEL: 'info',
  };
}

/** The new API counts calls in 15 minutes, a day and a month; none of them is what a soak tries. */
const QUOTAS = [1_000_000, 10_000_000, 100_000_000] as const;

async function startModern(options: SoakOptions, build: string, { folder, ports }: Place) {
  const { accessTokenSeconds } = options.pace;
  const own = { clientSecret: SECRET, accessTokenSeconds };
  const settings = modernSettings({ ...ports, bridge: ports.bridges[0] ?? 0 }, folder, own);
  const modern = await startModernProcess(build, { ...settings, quotas: QUOTAS });
  return { modern, modernFile: settings.databaseFile };
}

/** Restarts come one after the other, whoever asks. */
function createDatabase(postgres: TestPostgres | undefined): RestartedDatabase {
  let last = Promise.resolve();
  const database: RestartedDatabase = {
    restarts: 0,
    up: () => last,
    async restart(signal, meanwhile) {
      if (!postgres) return;
      database.restarts += 1;
      last = last.then(() => postgres.restart(signal, meanwhile));
      await last;
    },
  };
  return database;
}

interface MachineParts {
  build: string;
  place: Place;
  database: RestartedDatabase;
}

function createMachines(options: SoakOptions, { build, place, database }: MachineParts): Machine[] {
  return place.ports.bridges.map((_port, index) => {
    const settings = settingsOf(options, place, index);
    const logFile = join(place.folder, `machine-${index}.log`);
    const { sabotage, pace } = options;
    return createMachine({
      index,
      build,
      settings,
      logFile,
      sabotage,
      database,
      drainMs: pace.drainSeconds * 1000,
    });
  });
}

/** Of several machines each has its own folder, with the same keys in it. */
function shareKeys([first, ...others]: readonly Machine[]): void {
  for (const { settings } of others)
    copyFileSync(first?.settings['KEYS_FILE'] ?? '', settings['KEYS_FILE'] ?? '');
}

async function open(
  options: SoakOptions,
  ends: ReturnType<typeof createEnds>,
): Promise<Omit<Ground, 'close'>> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const build = copyBuild(options.pace.limits);
  ends.add(() => rmSync(build, { recursive: true, force: true }));
  const ports = await takePorts(options.database === 'postgres' ? 2 : 1);
  for (const index of ports.bridges.keys()) mkdirSync(join(folder, `machine-${index}`));
  const postgres = options.database === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  ends.add(() => postgres?.stop());
  const mail = await startMailServer(1);
  ends.add(() => mail.close());
  const network = await layNetwork(ports);
  ends.add(() => Promise.all([network.proxy.close(), network.recorder.close()]));
  const databaseUrl = postgres?.url ?? `sqlite:${join(folder, 'machine-0', 'bridge.db')}`;
  const place = { folder, ports, databaseUrl, mailPort: mail.ports[0] ?? 0 };
  const { modern, modernFile } = await startModern(options, build, place);
  ends.add(() => modern.stop());
  const database = createDatabase(postgres);
  const machines = createMachines(options, { build, place, database });
  const opened = await openOwnContext({ ...settingsOf(options, place, 0) });
  ends.add(() => opened.close());
  shareKeys(machines);
  ends.add(() => Promise.all(machines.map((machine) => machine.close())));
  // one that is alone has two workers, as the second of two has
  await Promise.all(machines.map((machine, index) => machine.start(machines.length === 1 ? 2 : index + 1)));
  return {
    ...network,
    folder,
    build,
    machines,
    context: opened.context,
    mail,
    postgres,
    modernFile,
    modernPid: modern.pid,
    database,
  };
}

/** Starts everything; the machines serve when it resolves. */
export async function startGround(options: SoakOptions): Promise<Ground> {
  const ends = createEnds();
  try {
    return { ...(await open(options, ends)), close: () => ends.run() };
  } catch (error) {
    await ends.run();
    throw error;
  }
}
