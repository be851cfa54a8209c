import { ApiProblem } from '../problems/problems.ts';

/** The refusals that many operations share. */

/** It cannot be done as things stand. */
export const notPossible = (detail: string): ApiProblem => new ApiProblem('not-possible', detail);

/** A field of the body names something that does not exist. */
export const wrongField = (pointer: string, detail: string): ApiProblem =>
  new ApiProblem('invalid-request', 'Nothing was changed. See errors.', {
    errors: [{ in: 'body', pointer, detail }],
  });
