import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Two rings and a rest: `X.test.ts` is fast (SQLite, in one process, once each behaviour), `X.full.test.ts` is the rest
// that CI runs (PostgreSQL, real processes, kills, browsers), `X.long.test.ts` runs when somebody asks for it. The full
// ring also runs the fast files that repeat their tests for each database: there those run on PostgreSQL too.
const testFolder = join(import.meta.dirname, 'test');
const isTest = (path) => path.endsWith('.test.ts');
const isFast = (path) => isTest(path) && !/\.(full|long)\.test\.ts$/.test(path);
const repeatsPerDatabase = (path) =>
  isFast(path) && readFileSync(join(testFolder, path), 'utf8').includes('databaseKinds');
const perDatabase = () =>
  readdirSync(testFolder, { recursive: true })
    .map(String)
    .filter(repeatsPerDatabase)
    .map((path) => `<rootDir>/test/${path}`);

const rings = {
  fast: () => ({ testMatch: ['**/*.test.ts'], testPathIgnorePatterns: ['\\.(full|long)\\.test\\.ts$'] }),
  full: () => ({ testMatch: ['**/*.full.test.ts', ...perDatabase()] }),
  long: () => ({ testMatch: ['**/*.long.test.ts'] }),
  // `npm run test:matrix` chooses by folder and name.
  all: () => ({ testMatch: ['**/*.test.ts'] }),
};

// A file that is named on the command line is run in its own ring, whatever the command.
const named = process.argv.map((text) => /\.(full|long)(\.|$)/.exec(text)?.[1]).find(Boolean);
// Read by test/support/jest/test-mode.ts, in the workers too.
process.env.TEST_RING = named && process.env.TEST_RING !== 'all' ? named : (process.env.TEST_RING ?? 'fast');
const ring = rings[process.env.TEST_RING];
if (!ring) throw new Error(`TEST_RING is ${process.env.TEST_RING}, not ${Object.keys(rings).join(' or ')}`);

// Packages that ship ES modules only, or that load parts by import(): jest's CommonJS runtime needs them transformed on
// Node 20.
const esmOnly = [
  'jose',
  'oidc-provider',
  'nanoid',
  'quick-lru',
  'oidc-token-hash',
  'eta',
  'oauth4webapi',
  'openid-client',
  'p-limit',
  'yocto-queue',
  'structured-headers',
  'ical.js',
  'd3-[a-z-]+',
  'internmap',
  '@opentelemetry/otlp-exporter-base',
  '@seriousme/openapi-schema-validator',
];
const swc = {
  swcrc: false,
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
  roots: ['<rootDir>/test'],
  // Not below the temporary folder, which is another one in each run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  ...ring(),
  transform: { '^.+\\.(ts|m?js)$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  setupFiles: [
    '<rootDir>/test/support/jest/sqlite-realm.cjs',
    '<rootDir>/test/support/jest/quiet-oidc.cjs',
    '<rootDir>/test/support/jest/quick-graphql.cjs',
  ],
  testTimeout: 180_000,
  // Most tests wait for processes, clocks and sockets; four at a time keep both cores of a small machine busy.
  maxWorkers: 4,
  verbose: true,
  // A test that fails in its set-up may leave servers open; the run must end all the same and say so.
  forceExit: true,
};
