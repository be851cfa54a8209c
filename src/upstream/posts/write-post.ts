import { z } from 'zod';
import type { Connection } from '../connection.ts';
import { type HttpAnswer, jsonObject, retryAfterOf } from '../http-client.ts';
import type { MainApi } from '../main-api.ts';
import { type WrittenPost, WRITTEN_POST_FIELDS, writtenPost } from './written-post.ts';

/**
 * One mutation of the new API as one HTTP request on its own connection. The proof in the answer decides whether the
 * mutation may be sent once more, so every answer is exactly one of the outcomes below.
 */

/** The mutations for the old API, by their names at the new API. */
const MUTATIONS = {
  createPost: 'CreatePostInput',
  editPost: 'EditPostInput',
  deletePost: 'DeletePostInput',
  movePostInQueue: 'MovePostInQueueInput',
} as const;

type Mutation = keyof typeof MUTATIONS;

export interface PostWrite {
  mutation: Mutation;
  input: Record<string, unknown>;
}

/** Refusals in the payload of a mutation, and errors before a mutation runs. */
export type RefusalKind =
  | 'NotFoundError'
  | 'UnauthorizedError'
  | 'RestProxyError'
  | 'LimitReachedError'
  | 'InvalidInputError'
  | 'VoidMutationError'
  | 'UnexpectedError'
  | 'Forbidden'
  | 'BadRequest';

/** The new API read the mutation and did not carry it out. */
export interface WriteRefusal {
  kind: RefusalKind;
  message: string;
  /** The error number of the old API, when the new API gives it. */
  code: number | undefined;
  link: string | undefined;
}

export type WriteOutcome =
  | { kind: 'done'; post: WrittenPost | undefined }
  | { kind: 'refused'; refusal: WriteRefusal }
  /**
   * The new API answered with an internal or an unknown error: the post may exist, but the mutation will do nothing more.
   * `unknownType` is the name of an error that the bridge does not know.
   */
  | { kind: 'failed'; message: string; unknownType?: string }
  /** A well-formed 401, which the new API sends before it reads the mutation. */
  | { kind: 'unauthorized' }
  /** A well-formed 429: the mutation was not carried out. */
  | { kind: 'limited'; retryAfter: number }
  /** Unknown whether the mutation was carried out, or still will be. */
  | { kind: 'in_doubt'; cause: unknown };

const MADE = `... on PostActionSuccess { post { ${WRITTEN_POST_FIELDS} } }`;
const HANDED_ON = '... on RestProxyError { link code }';

/** A payload rejects a spread over a type that is not one of its members. */
const FIELDS: Record<Mutation, string> = {
  createPost: `${MADE} ${HANDED_ON}`,
  editPost: `${MADE} ${HANDED_ON}`,
  deletePost: '... on DeletePostSuccess { id }',
  movePostInQueue: MADE,
};

/** The text of the request for a mutation. */
export function documentOf({ mutation, input }: PostWrite): string {
  const fields = `__typename ... on MutationError { message } ${FIELDS[mutation]}`;
  const query = `mutation Write($input: ${MUTATIONS[mutation]}!) { written: ${mutation}(input: $input) { ${fields} } }`;
  return JSON.stringify({ query, variables: { input } });
}

const errors = z
  .array(
    z.object({
      message: z.string(),
      path: z.array(z.union([z.string(), z.number()])).nullish(),
      extensions: z.object({ code: z.string().optional() }).optional(),
    }),
  )
  .min(1);

const done = z.union([
  z.object({ __typename: z.literal('PostActionSuccess'), post: writtenPost }),
  z.object({ __typename: z.literal('DeletePostSuccess') }),
]);

const refused = z.object({
  __typename: z.enum([
    'NotFoundError',
    'UnauthorizedError',
    'RestProxyError',
    'LimitReachedError',
    'InvalidInputError',
    'VoidMutationError',
  ]),
  message: z.string(),
  code: z.number().int().nullish(),
  link: z.string().nullish(),
});

/** The old API's own word for a fault, which says nothing of what was done before. */
const OLD_FAULT = 1000;

const failed = z.union([
  z.object({ __typename: z.literal('UnexpectedError'), message: z.string() }),
  z.object({
    __typename: z.literal('RestProxyError'),
    message: z.string(),
    code: z.literal(OLD_FAULT),
  }),
]);

/** An error that is newer than this file. Each error has a message, and nothing says what was done before it. */
const newError = z.object({ __typename: z.string().regex(/^\w{1,100}$/), message: z.string() });

function outcomeOfPayload(written: unknown): WriteOutcome {
  const success = done.safeParse(written);
  if (success.success) return { kind: 'done', post: 'post' in success.data ? success.data.post : undefined };
  const failure = failed.safeParse(written).data;
  if (failure) return { kind: 'failed', message: failure.message };
  const refusal = refused.safeParse(written).data;
  if (refusal) {
    const { __typename: kind, message, code, link } = refusal;
    return { kind: 'refused', refusal: { kind, message, code: code ?? undefined, link: link ?? undefined } };
  }
  const other = newError.safeParse(written).data;
  if (other) return { kind: 'failed', message: other.message, unknownType: other.__typename };
  return { kind: 'in_doubt', cause: new Error('the payload has an unknown shape', { cause: success.error }) };
}

/** The meaning of request errors that come before any mutation runs. */
const BEFORE_RUNNING: ReadonlyMap<string, RefusalKind> = new Map([
  ['FORBIDDEN', 'Forbidden'],
  ['NOT_FOUND', 'NotFoundError'],
  ['GRAPHQL_PARSE_FAILED', 'BadRequest'],
  ['GRAPHQL_VALIDATION_FAILED', 'BadRequest'],
  ['BAD_USER_INPUT', 'BadRequest'],
]);

const UNAUTHORIZED = ['UNAUTHENTICATED', 'UNAUTHORIZED'];

/** An error below the mutation's own field concerns a part of the answer: the mutation itself ran. */
const isBelowMutation = ({ path }: z.infer<typeof errors>[number]) => (path?.length ?? 0) > 1;

/** The kind of a refusal before the mutation ran; undefined when the errors do not prove such a refusal. */
function refusalKind(status: number, said: z.infer<typeof errors>): RefusalKind | undefined {
  if ((status !== 200 && status !== 400) || said.some(isBelowMutation)) return undefined;
  const kinds = said.map(({ extensions }) => BEFORE_RUNNING.get(extensions?.code ?? ''));
  return kinds.includes(undefined) ? undefined : kinds[0];
}

function outcomeOfErrors({ status }: HttpAnswer, said: z.infer<typeof errors>): WriteOutcome {
  const code = said[0]?.extensions?.code ?? '';
  if (status === 401 && UNAUTHORIZED.includes(code)) return { kind: 'unauthorized' };
  const kind = refusalKind(status, said);
  const message = said[0]?.message ?? '';
  if (kind) return { kind: 'refused', refusal: { kind, message, code: undefined, link: undefined } };
  return { kind: 'in_doubt', cause: new Error(`the main API answered ${status} ${code}`) };
}

const LIMITED_FOR = 60_000;

/** The outcome that an answer to a mutation proves. `now` in Unix milliseconds. */
function processWriteAnswer(answer: HttpAnswer, now: number): WriteOutcome {
  const body = jsonObject(answer);
  const said = errors.safeParse(body?.['errors']);
  if (answer.status === 429 && said.success)
    return { kind: 'limited', retryAfter: retryAfterOf(answer, now) ?? LIMITED_FOR };
  if (said.success) return outcomeOfErrors(answer, said.data);
  const data = body?.['data'];
  if (answer.status === 200 && data instanceof Object && 'written' in data)
    return outcomeOfPayload(data.written);
  return { kind: 'in_doubt', cause: new Error(`the main API answered ${answer.status} in an unknown shape`) };
}

interface WriteRequest {
  mainApi: MainApi;
  connection: Connection;
  accessToken: string;
  /** Made by `documentOf`. */
  document: string;
  now: () => number;
}

/** Sends a mutation once. Any failure from here on is in doubt. */
export async function writePost({
  mainApi,
  connection,
  accessToken,
  document,
  now,
}: WriteRequest): Promise<WriteOutcome> {
  try {
    return processWriteAnswer(await mainApi.sendOnce(connection, accessToken, document), now());
  } catch (cause) {
    return { kind: 'in_doubt', cause };
  }
}
