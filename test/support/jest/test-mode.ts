/** How the bridge of the tests runs: the same tests, on another database, in processes of its own, with workers. */

function oneOf<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value {
  const given = process.env[name] ?? values[0];
  const value = values.find((one) => one === given);
  if (value === undefined) throw new Error(`${name} is ${given}, not ${values.join(' or ')}`);
  return value;
}

export const testMode = {
  /** The ring that jest.config.mjs runs; the campaigns, which run without jest, have none. */
  ring: oneOf('TEST_RING', ['none', 'fast', 'full', 'long', 'all']),
  database: oneOf('TEST_DATABASE', ['sqlite', 'postgres']),
  isSpawned: oneOf('TEST_BRIDGE', ['in-process', 'spawned']) === 'spawned',
  workers: Number(oneOf('TEST_WORKERS', ['1', '2'])),
  /** CI has forty minutes for everything: what takes minutes is done in part there, and whole where somebody asks for it. */
  isBrief: process.env['TEST_RING'] === 'full' && Boolean(process.env['CI']),
} as const;

export type DatabaseKind = 'sqlite' | 'postgres';

/** Whether the running test file belongs to the fast ring by its name. The campaigns run without jest. */
function isFastFile(): boolean {
  const path = typeof expect === 'undefined' ? undefined : expect.getState().testPath;
  return path !== undefined && !/\.(full|long)\.test\.ts$/.test(path);
}

function kindsOfRing(): readonly DatabaseKind[] {
  if (testMode.ring === 'fast') return ['sqlite'];
  // CI runs both rings, and the fast one has run such a file on SQLite.
  if (testMode.ring === 'full' && isFastFile()) return ['postgres'];
  return ['sqlite', 'postgres'];
}

/** The databases for a test that runs on each. Both rings together run each test on both. */
export const databaseKinds: readonly DatabaseKind[] = kindsOfRing();

/** The databases for a test that takes minutes on each: both, but in CI the one where it has more to show. */
export const databasesOf = (inCi: DatabaseKind): readonly DatabaseKind[] =>
  testMode.isBrief ? [inCi] : databaseKinds;

/** The fast ring starts no PostgreSQL: what needs one belongs into a file of the full ring. */
export function requirePostgresRing(): void {
  if (testMode.ring === 'fast' && testMode.database === 'sqlite')
    throw new Error('npm test runs on SQLite alone: a test that needs PostgreSQL stands in X.full.test.ts');
}

/** What takes its time and does the same on either database runs on the one of the mode; `test:matrix` runs the other. */
export const modeDatabases = [testMode.database] as const;

/** What only the process of the bridge itself can show; skipped where that is another one, and says so in its name. */
export const testInProcess: (name: string, work: Parameters<jest.It>[1]) => void = (name, work) =>
  testMode.isSpawned
    ? test.skip(`${name} (skipped: only the process of the bridge itself can show it)`, work)
    : test(name, work);

if (testMode.workers > 1 && !testMode.isSpawned) throw new Error('TEST_WORKERS=2 needs TEST_BRIDGE=spawned');
