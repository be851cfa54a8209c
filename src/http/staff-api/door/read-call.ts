import type { Request } from 'express';
import { z } from 'zod';
import { redactText } from '../../../shared/log/redaction.ts';
import type { ApiOperation } from '../operation.ts';
import { ApiProblem, type RequestMistake } from '../problems/problems.ts';

/** Reads a request by the schemas of its operation. */

const NOTHING = z.strictObject({});

const pointerOf = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part)}`).join('');

/** An answer tells no more mistakes of one place, and no more of each: a body may hold a hundred thousand. */
const MISTAKES_MAX = 100;
const DETAIL_MAX = 500;

/** A caller may have put a secret where a name belongs. */
function mistakesIn(place: RequestMistake['in'], { issues }: z.ZodError): RequestMistake[] {
  return issues.slice(0, MISTAKES_MAX).map(({ path, message }) => ({
    in: place,
    pointer: redactText(pointerOf(path).slice(0, DETAIL_MAX)),
    detail: redactText(message.slice(0, DETAIL_MAX)),
  }));
}

/** What the schemas read. */
export interface ReadCall {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** The mistakes of a request at once, up to a hundred of one place.
 * @throws {ApiProblem}
 */
export function readCall(one: ApiOperation, req: Request): ReadCall {
  one.lookFirst?.(req.body);
  const { parameters, query, body } = one;
  const read = {
    path: (parameters ?? NOTHING).safeParse({ ...req.params }),
    query: (query ?? NOTHING).safeParse({ ...req.query }),
    body: (body ?? NOTHING).safeParse(req.body ?? {}),
  };
  const errors = (['path', 'query', 'body'] as const).flatMap((place) => {
    const { error } = read[place];
    return error ? mistakesIn(place, error) : [];
  });
  const { path, query: asked, body: sent } = read;
  if (path.success && asked.success && sent.success)
    return { path: path.data, query: asked.data, body: sent.data };
  throw new ApiProblem('invalid-request', 'Nothing was changed. See errors.', { errors });
}
