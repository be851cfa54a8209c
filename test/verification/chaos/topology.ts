import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '../../support/database/postgres.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { newLegacyToken } from '../../../src/shared/ids.ts';
import { runCommand, type Settings } from '../../processes/running-program.ts';
import { type ModernProcess, modernSettings, startModernProcess } from '../shared/modern-process.ts';
import { layNetwork, type Network } from '../shared/network.ts';
import { createEnds } from '../shared/ends.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type BridgeMachine, createBridgeMachine, type Cut } from './bridge-machine.ts';
import type { Side } from './plan.ts';

/** The topology of deploy/compose.yaml, with the new API and the old API, as processes on loopback. */
export interface Topology extends Network {
  folder: string;
  folders: Record<Side, string>;
  postgres: TestPostgres;
  modern: ModernProcess;
  oldApi: OldBackend;
  /** The tokens of an account that only the old API knows. */
  oldTokens: string[];
  machines: readonly [BridgeMachine, BridgeMachine];
  balancer: Balancer;
  /** Of a command of the operator, and of the chaos itself. */
  settings: Settings;
  cuts: Cut[];
  close(): Promise<void>;
}

/** What people and apps know the bridge as; the balancer ends TLS. */
export const PUBLIC_URL = 'https://bridge.example';

const SECRET = 'the-secret-of-the-bridge-under-chaos';

/** Access tokens of the new API live so long, so that refreshes go on all the time. */
export const ACCESS_TOKEN_SECONDS = 6;
/** Longer than a request to the new API may take, and than a claim that nobody ends. */
export const QUIET_SECONDS = 20;
/** One second longer than the balancer needs to notice, as docs/operate/processes.md asks. */
export const DRAIN_SECONDS = 4;

/** The new API counts calls in 15 minutes, a day and a month; none of them is what the chaos tries. */
const QUOTAS = [1_000_000, 10_000_000, 100_000_000] as const;

const OLD_ACCOUNT_TOKENS = 3;

interface Ports {
  network: number;
  recorder: number;
  modern: number;
}

function settingsFor(
  ports: Ports,
  oldApi: string,
  { folder, databaseUrl }: Record<string, string>,
): Settings {
  const modern = `http://127.0.0.1:${ports.network}`;
  return {
    PUBLIC_URL,
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: String(databaseUrl),
    KEYS_FILE: join(String(folder), 'keys.json'),
    VAR_DIR: join(String(folder), 'operator'),
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    MODERN_CLIENT_SECRET: SECRET,
    LEGACY_BACKEND_URL: oldApi,
    IN_DOUBT_QUIET_SECONDS: String(QUIET_SECONDS),
    PROFILES_FRESH_SECONDS: '1',
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    LEGACY_RATE_LIMIT: '0',
    LOG_LEVEL: 'error',
  };
}

async function startModern(folder: string, ports: Ports): Promise<ModernProcess> {
  const wanted = { clientSecret: SECRET, accessTokenSeconds: ACCESS_TOKEN_SECONDS };
  const settings = modernSettings({ ...ports, bridge: 0 }, folder, wanted);
  const clients = settings.clients.map((client) => ({ ...client, redirectUris: [`${PUBLIC_URL}/callback`] }));
  return startModernProcess(projectRoot, { ...settings, clients, quotas: QUOTAS });
}

function startOldApi(tokens: string[]): Promise<OldBackend> {
  const user = { id: '4ecda256512f7ee521000009', name: 'Only The Old API' };
  return startOldBackend({ accounts: [{ tokens, user, profiles: [] }] });
}

type Ends = ReturnType<typeof createEnds>;

async function open(folders: Record<Side, string>, ends: Ends): Promise<Omit<Topology, 'close'>> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  ends.add(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'operator'), { mode: 0o700 });
  const ports = { network: await freePort(), recorder: await freePort(), modern: await freePort() };
  const postgres = await startPostgres({ fsync: true });
  ends.add(() => postgres.stop());
  const network = await layNetwork(ports);
  ends.add(() => Promise.all([network.proxy.close(), network.recorder.close()]));
  const modern = await startModern(folder, ports);
  ends.add(() => modern.stop());
  const oldTokens = Array.from({ length: OLD_ACCOUNT_TOKENS }, () => newLegacyToken());
  const oldApi = await startOldApi(oldTokens);
  ends.add(() => oldApi.close());
  const settings = settingsFor(ports, oldApi.url, { folder, databaseUrl: postgres.url });
  await runCommand(settings, ['keys', 'init'], folders.older);
  await runCommand(settings, ['migrate'], folders.older);
  const cuts: Cut[] = [];
  const bridges = [await freePort(), await freePort()] as const;
  const place = { plainPort: await freePort(), securePort: await freePort(), folder, ports: bridges };
  const balancer = await startBalancer(place);
  ends.add(() => balancer.close());
  const machineOn = (index: 0 | 1) =>
    createBridgeMachine({ index, port: bridges[index], folder, settings, folders, cuts });
  const machines = [machineOn(0), machineOn(1)] as const;
  ends.add(() => Promise.all(machines.map((machine) => machine.kill())));
  return {
    ...network,
    folder,
    folders,
    postgres,
    modern,
    oldApi,
    oldTokens,
    machines,
    balancer,
    settings,
    cuts,
  };
}

/** Starts everything but the bridges. */
export async function layTopology(folders: Record<Side, string>): Promise<Topology> {
  const ends = createEnds();
  try {
    return { ...(await open(folders, ends)), close: () => ends.run() };
  } catch (error) {
    await ends.run();
    throw error;
  }
}
