import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { owedPlace } from '../../../src/domain/keys/sealing-context.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { keyIdOf } from '../../../src/shared/secrets.ts';
import { insertOwed } from '../../../src/store/grants/owed-revocations.ts';
import { run, runJson } from './operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';
import { canMount } from '../restore/two-machines.ts';

/** A disk that fills while everything is sealed anew: SQLite on a small file system of its own. */

const ROWS = 1_200;
/** Long, so that the write-ahead log outgrows the disk long before the end. */
const TOKEN = 'a-token-upstream-'.repeat(120);

const folder = mkdtempSync(join(tmpdir(), 'reseal-disk-'));
const home = join(folder, 'home');
const settingsIn = (place: string): Settings => ({
  PUBLIC_URL: 'http://localhost:3000',
  VAR_DIR: place,
  KEYS_FILE: join(home, 'keys.json'),
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
});

async function inDatabase<T>(work: (opened: OpenContext) => Promise<T>): Promise<T> {
  const config = readConfig(settingsIn(home));
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
  const opened = await openContext(config, config.upstream, { logger });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

type Row = { id: string; token_sealed: string };

beforeAll(async () => {
  await buildProgram();
  await run(settingsIn(home), 'migrate');
  await inDatabase(async ({ context: { store, vault } }) => {
    await store.transaction(async (tx) => {
      for (let number = 0; number < ROWS; number += 1) {
        const id = String(number).padStart(24, '0');
        const token_sealed = vault.seal(owedPlace(id), `${TOKEN}${number}`);
        await insertOwed(tx, { id, grant_id: id, token_sealed, next_at: 0, created_at: 0 });
      }
    });
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Runs a reseal on a disk with that much room beside the database, then once more with enough. What the database has
 * become is put back; both runs say how they ended.
 */
function resealTwice(room: number) {
  const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const script = `
    mount -t tmpfs -o size="$SIZE" tmpfs "$DISK" || exit 9
    cp "$HOME_DIR"/bridge*.db "$DISK"
    "$@" > "$FOLDER/first.out" 2> "$FOLDER/first.err"; echo $? > "$FOLDER/first.code"
    mount -o remount,size=64m "$DISK"
    "$@" > "$FOLDER/second.out" 2> "$FOLDER/second.err"; echo $? > "$FOLDER/second.code"
    cp "$DISK"/bridge*.db "$HOME_DIR"`;
  const size = ['bridge.db', 'bridge-volatile.db'].reduce(
    (sum, name) => sum + statSync(join(home, name)).size,
    0,
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...settingsIn(disk),
    SIZE: String(size + room),
    DISK: disk,
    HOME_DIR: home,
    FOLDER: folder,
  };
  const command = ['sh', '-c', script, 'sh', process.execPath, program, 'keys', 'reseal', '--json'];
  const { status, stderr } = spawnSync('unshare', ['--user', '--map-root-user', '--mount', ...command], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return ['first', 'second'].map((name) => ({
    code: read(`${name}.code`).trim(),
    output: read(`${name}.out`),
    complaints: read(`${name}.err`),
  }));
}

const ownRows = ({ context }: OpenContext): Promise<Row[]> =>
  context.store.durable.selectFrom('owed_revocations').select(['id', 'token_sealed']).orderBy('id').execute();

const testWithMount = canMount ? test : test.skip;

let first: ReturnType<typeof resealTwice>[number] | undefined;

testWithMount(
  'after a reseal that met a full disk nothing is lost, and a second run finishes',
  async () => {
    const { id } = (await runJson(settingsIn(home), 'keys', 'add')).json as { id: string };
    expect((await run(settingsIn(home), 'keys', 'activate', id)).code).toBe(0);
    const [before, second] = resealTwice(2_000_000);
    first = before;
    expect(second?.code).toBe('0');
    const { resealed, left, unreadable } = JSON.parse(second?.output ?? '') as Record<string, unknown>;
    expect({ left, unreadable }).toEqual({ left: 0, unreadable: [] });
    // The first run came some way, and what it did was kept.
    expect(resealed).toBeGreaterThan(0);
    expect(resealed).toBeLessThan(ROWS);
    await inDatabase(async (opened) => {
      const rows = await ownRows(opened);
      expect(rows).toHaveLength(ROWS);
      for (const [number, { id: row, token_sealed: sealed }] of rows.entries()) {
        expect(keyIdOf(sealed)).toBe(id);
        expect(opened.context.vault.open(owedPlace(row), sealed)).toBe(`${TOKEN}${number}`);
      }
    });
  },
  120_000,
);

testWithMount('the reseal that met it ended with 1 and said what was wrong', () => {
  expect(first).toMatchObject({ code: '1', output: '' });
  expect(first?.complaints.trimEnd().split('\n').at(-1)).toBe('database or disk is full');
});
