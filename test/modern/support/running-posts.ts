import { type Ground, runPosts, tomorrow } from './posts.ts';

/** The modern generation whose posts the tests of a file read and write. */
export let ground: Ground;

/** One for all tests of a file. */
export function withPosts(): void {
  beforeAll(async () => void (ground = await runPosts()));
  afterAll(() => ground.stop());
}

/** A post for tomorrow, unless `more` says otherwise. */
export const custom = (more: object = {}) =>
  ground.create({ mode: 'customScheduled', dueAt: tomorrow(), ...more });
