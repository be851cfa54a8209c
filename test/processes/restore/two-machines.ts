import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { openStore } from '../../../src/store/driver/open-store.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { choosePlace, type DatabaseKind, type Place } from '../../store/support/stores.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { printed, run } from '../commands/operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** Two processes of the bridge on one database that have a folder and a key file each, as two machines would. */

export interface Machine {
  settings: Settings & { PORT: string; KEYS_FILE: string };
  bridge: BridgeProcess;
}

export interface TwoMachines {
  here: Machine;
  there: Machine;
  store: Store;
  /** What stands in their key files, the register, and the history of it: what a refused command leaves as it was. */
  everything(): Promise<{ known: unknown; events: unknown; files: string[] }>;
  /** The operator copies the key file to the other machine. */
  copyThere(): void;
  stop(): Promise<void>;
}

export const fileOf = ({ settings }: Machine) => readFileSync(settings.KEYS_FILE, 'utf8');

/** The ids of a purpose's keys in a machine's file. */
export function idsIn(machine: Machine, purpose: string): string[] | undefined {
  const content = JSON.parse(fileOf(machine)) as Record<string, Array<{ id: string }>>;
  return content[purpose]?.map(({ id }) => id);
}

/** Runs a command of the keys on a machine. */
export const keys = ({ settings }: Machine, ...args: string[]) => run(settings, 'keys', ...args);

async function settingsOf(folder: string, name: string, { location }: Place): Promise<Machine['settings']> {
  const PORT = String(await freePort());
  return {
    PORT,
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    VAR_DIR: join(folder, name),
    KEYS_FILE: join(folder, `${name}-keys`, 'keys.json'),
    DATABASE_URL: location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
}

export async function startTwoMachines(kind: DatabaseKind): Promise<TwoMachines> {
  await buildProgram();
  const folder = mkdtempSync(join(tmpdir(), 'two-machines-'));
  const place = await choosePlace(kind);
  const [one, two] = [await settingsOf(folder, 'here', place), await settingsOf(folder, 'there', place)];
  await run(one, 'migrate');
  mkdirSync(dirname(two.KEYS_FILE), { mode: 0o700 });
  const copyThere = () => copyFileSync(one.KEYS_FILE, two.KEYS_FILE);
  copyThere();
  const here = { settings: one, bridge: await startBridgeProcess({ settings: one }) };
  const there = { settings: two, bridge: await startBridgeProcess({ settings: two }) };
  const store = await openStore(place.location);
  return {
    here,
    there,
    store,
    copyThere,
    async everything() {
      const events = await store.durable.selectFrom('events').select('id').orderBy('id').execute();
      return { known: await listKeys(store.durable), events, files: [here, there].map(fileOf) };
    },
    async stop() {
      await Promise.all([here, there].map(({ bridge }) => bridge.stop()));
      await store.close();
      await place.remove();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A person allows what an app asks for; of the row that this makes only the sealed `state` of the app is left. */
export async function startAuthorizationAt(
  { bridge }: Machine,
  { clientId, callback, store }: { clientId: string; callback: string; store: Store },
): Promise<void> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    state: 'the-state-of-the-app',
  });
  const browser = new CookieWalker();
  const start = await browser.get(`${bridge.url}/oauth2/authorize?${query.toString()}`);
  const page = await browser.get(new URL(new URL(start.location ?? '').pathname, bridge.url).href);
  const field = browser.forms(page)[0]?.fields.find(({ name }) => name === '_form')?.value ?? '';
  const answer = await browser.post(page.url, { _form: field, decision: 'allow' });
  expect(answer.status).toBe(302);
  await store.durable
    .updateTable('authorization_requests')
    .set({ browser_digest: null, upstream_state_digest: null, verifier_sealed: null })
    .execute();
}

/** Whether this machine lets anybody mount in a name space of their own. */
export const canMount = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0;

/** Runs a command of the keys where the folder of the key file is read-only, for root too. */
export function keysOnReadOnlyDisk({ settings }: Machine, ...args: string[]) {
  const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
  const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
  const command = ['sh', dirname(settings.KEYS_FILE), process.execPath, program, 'keys', ...args];
  const env = { PATH: process.env['PATH'], ...settings };
  const options = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, ...command];
  const { status, stdout, stderr } = spawnSync('unshare', options, { env, encoding: 'utf8' });
  printed.push(stdout, stderr);
  return { status, stdout, stderr };
}
