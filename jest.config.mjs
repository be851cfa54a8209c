// Packages that ship ES modules only: jest's CommonJS runtime needs them transformed on Node 20.
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
];
const swc = {
  swcrc: false,
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // `npm run test:long` and `test:matrix` look for these.
  testPathIgnorePatterns: ['\\.long\\.test\\.ts$'],
  transform: { '^.+\\.(ts|m?js)$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFiles: [
    '<rootDir>/test/support/sqlite-realm.cjs',
    '<rootDir>/test/support/quiet-oidc.cjs',
    '<rootDir>/test/support/quick-graphql.cjs',
  ],
  testTimeout: 180_000,
  // Most tests wait for processes, clocks and sockets; three at a time keep both cores of a small machine busy.
  maxWorkers: 3,
  verbose: true,
  // A test that fails in its set-up may leave servers open; the run must end all the same and say so.
  forceExit: true,
};
