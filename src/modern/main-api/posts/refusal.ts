import { Refusal } from '../refusal.ts';

/** All reasons at once, in the form seen on the real service: sentences, joined by commas. */
export const invalidPost = (problems: readonly string[]) =>
  new Refusal('InvalidInputError', `Invalid post: ${problems.join(', ')}`);

/** What is wrong with asking for approval and for no draft at once. */
export const WAITS_AS_DRAFT = 'A post that waits for approval is a draft: saveToDraft cannot be false.';
