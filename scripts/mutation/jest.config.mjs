// How Stryker runs the tests of one rule: as `npm test` does, without what takes time in each of a thousand runs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';

// A change of what a module does when it is loaded shows only where each run loads it anew.
process.env.TEST_MODULES = 'own';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** @type {string[]} */
const tests = JSON.parse(process.env.MUTATION_TESTS ?? '[]');

/** What a file of tests needs beforehand, where it imports from there. */
const setUps = [
  { from: 'fast-check', file: 'scripts/mutation/same-values.cjs' },
  { from: '/stores.ts', file: 'test/support/jest/sqlite-realm.cjs' },
];
const texts = tests.map((path) => readFileSync(join(root, path), 'utf8'));
const uses = (name) => texts.some((text) => text.includes(name));

const { globalSetup: _setup, globalTeardown: _teardown, ...kept } = base;

/** @type {import('jest').Config} */
export default {
  ...kept,
  rootDir: root,
  // Stryker loads it by itself, and knows no <rootDir>.
  testEnvironment: join(root, 'test/support/jest/environment.cjs'),
  // Each run looks through these folders.
  roots: [...new Set(tests.map((path) => join(root, dirname(path))))],
  testMatch: tests.map((path) => join(root, path)),
  setupFiles: setUps.filter(({ from }) => uses(from)).map(({ file }) => join(root, file)),
  verbose: false,
};
