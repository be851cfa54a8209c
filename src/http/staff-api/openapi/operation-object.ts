import { z } from 'zod';
import { NAMED_SCHEMAS } from '../answers/parts.ts';
import type { ApiOperation } from '../operation.ts';
import type { ProblemName } from '../problems/problems.ts';
import { problemAnswers } from './problem-schema.ts';

/** One operation in the OpenAPI document. */

type JsonObject = Record<string, unknown>;

/** What a request may hold. */
function inputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, { io: 'input' });
  return json;
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

const REQUEST_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same write with the same key is done once; for a day its answer is given again.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

const ALWAYS: readonly ProblemName[] = [
  'unreadable-request',
  'no-key',
  'wrong-key',
  'https-only',
  'role-too-low',
  'invalid-request',
  'too-many-requests',
  'failed',
  'unavailable',
];

const OF_BODIES: readonly ProblemName[] = ['body-too-large', 'not-json'];
const OF_WRITES: readonly ProblemName[] = ['request-open', 'key-used-otherwise'];

function problemsOf({ problems = [], body, isWrite }: ApiOperation): ProblemName[] {
  return [...ALWAYS, ...(body ? OF_BODIES : []), ...(isWrite ? OF_WRITES : []), ...problems];
}

/** An answer has a name, so that generated clients have a type of that name. */
function answerReference({ id, answer }: ApiOperation): JsonObject {
  const own = NAMED_SCHEMAS.get(answer)?.id ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`;
  if (!NAMED_SCHEMAS.has(answer)) NAMED_SCHEMAS.add(answer, { id: own });
  return { $ref: `#/components/schemas/${own}` };
}

/** The operation as the document describes it. */
export function operationObject(one: ApiOperation): JsonObject {
  const parameters = [...parametersOf(one.parameters, 'path'), ...parametersOf(one.query, 'query')];
  return {
    operationId: one.id,
    summary: one.summary,
    description: `Takes the role ${one.needs}.`,
    tags: [one.tag],
    security: [{ apiKey: [] }],
    parameters: one.isWrite ? [...parameters, REQUEST_KEY] : parameters,
    ...(one.body && {
      requestBody: { required: true, content: { 'application/json': { schema: inputSchema(one.body) } } },
    }),
    responses: {
      200: {
        description: one.summary,
        content: { 'application/json': { schema: answerReference(one) } },
      },
      ...problemAnswers(problemsOf(one)),
    },
  };
}
