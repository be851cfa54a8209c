import { Refusal } from '../refusal.ts';

/** All reasons at once, in the form seen on the real service: sentences, joined by commas (modern-api.md 1.6). */
export const invalidPost = (problems: readonly string[]) =>
  new Refusal('InvalidInputError', `Invalid post: ${problems.join(', ')}`);
