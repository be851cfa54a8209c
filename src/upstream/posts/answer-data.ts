import { type HttpAnswer, jsonObject } from '../http-client.ts';
import { Forbidden, namesCode, namesErrors, throwRefusal } from '../main-api.ts';
import { Unavailable } from '../outcomes.ts';

/**
 * The data of an answer that has to be whole: an error beside it hides a part, and null stands there as for a part that is
 * not. Where the account may not see that part, the read is forbidden, as a later one would be.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export function wholeData(answer: HttpAnswer, now: number): unknown {
  const document = jsonObject(answer);
  throwRefusal(answer, now, document);
  if (namesCode(document, 'FORBIDDEN')) throw new Forbidden('a part of the post is forbidden');
  if (namesErrors(document)) throw new Unavailable('the main API could not read a part of the post');
  return document?.['data'] ?? {};
}

/** The shape of a list of posts, as far as errors change it. */
type PossibleList = { edges?: unknown } | null | undefined;

/**
 * The data of an answer to a read of posts. An error in one post may take the whole list away. The list is null then, and is
 * no empty list: a caller would take its queue for empty, and a look would not find the post that a lost write made.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable}
 */
export function answerData(answer: HttpAnswer, now: number): Record<string, unknown> {
  const document = jsonObject(answer);
  throwRefusal(answer, now, document);
  const data = (document?.['data'] ?? {}) as Record<string, unknown>;
  const posts = data['posts'] as PossibleList;
  if (posts?.edges === null && namesErrors(document))
    throw new Unavailable('the main API could not read the list of posts');
  return data;
}
