import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { newestOf, readSchema } from '../../../src/store/driver/schema/schema-state.ts';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
import { startBalancer } from '../../shutdown/support/balancer.ts';
import { createCaller } from '../../shutdown/support/keep-alive-caller.ts';
import { type Ground, openGround, until60 } from '../../shutdown/support/refreshing-program.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type Program, runCommand, type Settings } from '../running-program.ts';
import { makeNextVersion, type NextVersion } from './next-version.ts';

/**
 * Two machines on one database behind a balancer are upgraded one after the other under load, and go back: no call fails,
 * also where an older one starts anew on the newer schema, and no grant is lost.
 */

/** Refreshes go on all the time, on both versions. */
const ACCESS_TOKEN_SECONDS = 4;
const CALLERS = 6;

/** The folders of both. `npm run upgrade-trial` gives a real older version, before this checkout. */
const given = process.env['OLDER_VERSION'];
let next: NextVersion;
let ground: Ground;
let database: TestDatabase | undefined;
let location: DatabaseLocation;
const running = new Set<Program>();

beforeAll(() => {
  next = makeNextVersion();
});
afterAll(() => next.remove());

async function openOn(kind: 'sqlite' | 'postgres'): Promise<void> {
  database = kind === 'postgres' ? await freshDatabase() : undefined;
  const settings: Settings = { DRAIN_SECONDS: '2', ...(database && { DATABASE_URL: database.url }) };
  ground = await openGround({ accessTokenSeconds: ACCESS_TOKEN_SECONDS, settings });
  const file = join(String(ground.settings['VAR_DIR']), 'bridge.db');
  location = database ? { kind: 'postgres', url: database.url } : { kind: 'sqlite', file };
}

afterEach(async () => {
  for (const program of running) {
    program.process.kill('SIGKILL');
    await program.ended;
  }
  running.clear();
  await ground.close();
  await database?.drop();
});

/** A place on which either version runs. */
interface Machine {
  origin: string;
  settings: Settings;
  program?: Program;
}

const firstMachine = (): Machine => ({ origin: ground.url, settings: {} });

async function secondMachine(): Promise<Machine> {
  const [first, port] = [String(ground.settings['VAR_DIR']), await freePort()];
  const varDir = join(first, 'second');
  mkdirSync(varDir, { mode: 0o700 });
  copyFileSync(join(first, 'keys.json'), join(varDir, 'keys.json'));
  const url = location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url;
  const settings = { PORT: String(port), VAR_DIR: varDir, DATABASE_URL: url };
  return { origin: `http://127.0.0.1:${port}`, settings };
}

async function start(machine: Machine, folder: string): Promise<void> {
  machine.program = await ground.start(machine.settings, { folder });
  running.add(machine.program);
}

async function stop({ program }: Machine): Promise<void> {
  if (!program) return;
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  running.delete(program);
  expect(program.said.complaints).toBe('');
}

/** Callers that go on until they are told; the statuses of all their answers, by the token. */
function callOn(url: string, tokens: readonly string[]) {
  const over = new AbortController();
  const statuses: number[] = [];
  const calling = Array.from({ length: CALLERS }, async (_none, index) => {
    const caller = createCaller(url, String(tokens[index % tokens.length]));
    while (!over.signal.aborted) statuses.push((await caller.call()).status);
    caller.close();
  });
  return {
    statuses,
    async end() {
      over.abort();
      await Promise.all(calling);
    },
  };
}

/** The commands of the older version on the newer schema: a trial of a row that is known, and a backup. */
async function useCommands(folder: string, settings: Settings, [token]: readonly string[]): Promise<void> {
  const file = join(String(ground.settings['VAR_DIR']), 'rows');
  const { apps } = await runCommand(settings, ['apps', 'list'], folder);
  const first = (apps as unknown as Array<{ client_id: string }>)[0];
  const row = { type: 'token', access_token: token, client_id: first?.client_id, account_id: 'a'.repeat(24) };
  writeFileSync(file, JSON.stringify(row));
  const trial = await runCommand(settings, ['tokens', 'import', file, '--dry-run'], folder);
  expect(trial).toMatchObject({ new: 0 });
  if (location.kind === 'postgres') return;
  const backup = join(String(ground.settings['VAR_DIR']), 'backup.db');
  expect(await runCommand(settings, ['backup', backup], folder)).toMatchObject({ file: backup });
}

test.each(['sqlite', 'postgres'] as const)('on %s no call fails, forth and back', async (kind) => {
  await openOn(kind);
  const [older, newer] = given === undefined ? [projectRoot, next.folder] : [given, projectRoot];
  const first = firstMachine();
  await start(first, older);
  const tokens = [await ground.connectApp(older), await ground.connectApp(older)];
  const second = await secondMachine();
  await start(second, older);
  const balancer = await startBalancer([first.origin, second.origin]);
  await until60(() => [first, second].every(({ origin }) => balancer.isReady(origin)));
  const load = callOn(balancer.url, tokens);
  const replace = async (machine: Machine, folder: string) => {
    await stop(machine);
    await start(machine, folder);
    await until60(() => balancer.isReady(machine.origin));
    // Both versions write: a registration, a consent, a code and its exchange.
    tokens.push(await ground.connectApp(folder));
  };
  const before = Number((await readSchema(location)).present);

  await replace(second, newer);
  const reached = given === undefined ? before + 1 : newestOf(kind);
  expect((await readSchema(location)).present).toBe(reached);
  await replace(first, older);
  await replace(first, newer);
  await replace(second, older);
  await replace(first, older);
  // A real older version may be from before these commands left out what they do not know.
  if (given === undefined) await useCommands(older, { ...ground.settings, ...first.settings }, tokens);

  await load.end();
  await balancer.close();
  expect(balancer.failures).toEqual([]);
  expect(new Set(load.statuses)).toEqual(new Set([200]));
  expect(load.statuses.length).toBeGreaterThan(100);
  ground.proxy.assertNoRefreshTokenTwice();
  expect(ground.proxy.refreshes().length).toBeGreaterThan(5);
  for (const token of tokens) expect((await ground.read(token)).status).toBe(200);
  const history = await runCommand({ ...ground.settings, ...first.settings }, ['history', 'verify']);
  expect(history).toMatchObject({ ok: true });
  await stop(second);
  await stop(first);
});
