import { ApiRefusal } from '../refusal.ts';

/** Refuses a post with all problems at once, in the form of the real service: sentences joined by commas. */
export const invalidPost = (problems: readonly string[]) =>
  new ApiRefusal('InvalidInputError', `Invalid post: ${problems.join(', ')}`);

/** The message for an input that asks for approval and forbids a draft. */
export const WAITS_AS_DRAFT = 'A post that waits for approval is a draft: saveToDraft cannot be false.';
