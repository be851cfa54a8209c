import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import type { RequestParams, Response } from 'graphql-http';
import { countingResolver } from './answer-size.ts';
import type { ChosenOperation, OperationCache } from './chosen-operations.ts';
import { brokenLimit, MAX_TOKENS } from './query-limits.ts';
import { firstForbidden } from './scope-check.ts';

export type CodedError = readonly { readonly message: string }[];

type OperationRefusal = { refusal: Response };

const headers = { 'content-type': 'application/json; charset=utf-8' };

/** A 400 in which every error has `code`. graphql-http alone would answer 200 to `Accept: application/json`. */
export function badRequest(errors: CodedError, code: string): Response {
  const coded = errors.map((error) => ({
    ...(error instanceof GraphQLError ? error.toJSON() : { message: error.message }),
    extensions: { code },
  }));
  return [JSON.stringify({ errors: coded }), { status: 400, statusText: 'Bad Request', headers }];
}

const refuse = (errors: CodedError, code: string): OperationRefusal => ({
  refusal: badRequest(errors, code),
});

const answer = (body: object): Response => [JSON.stringify(body), { status: 200, statusText: 'OK', headers }];

/** A broken limit is a plain error without a code [recorded]. The status 200 is inferred. */
export const limitReached = (message: string): Response => answer({ errors: [{ message }] });

const refuseAtLimit = (message: string): OperationRefusal => ({ refusal: limitReached(message) });

/** Only the message distinguishes graphql's token limit from a syntax error. */
const isTokenLimit = ({ message }: Error) => message.includes(`${MAX_TOKENS} tokens. Parsing aborted`);

function parseQuery(query: string): DocumentNode | OperationRefusal {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (isTokenLimit(error)) return refuseAtLimit('The query has more than the limit of 15,000 tokens');
    return refuse([error], 'GRAPHQL_PARSE_FAILED');
  }
}

function choose(
  schema: GraphQLSchema,
  { query, operationName, variables }: RequestParams,
): ChosenOperation | OperationRefusal {
  const document = parseQuery(query);
  if ('refusal' in document) return document;
  const limit = brokenLimit(schema, document, variables);
  if (limit) return refuseAtLimit(limit.message);
  const errors = validate(schema, document);
  if (errors.length > 0) return refuse(errors, 'GRAPHQL_VALIDATION_FAILED');
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    return refuse([{ message: 'The operation to run is not clear' }], 'OPERATION_RESOLUTION_FAILURE');
  }
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    return refuse([{ message: 'There are no subscriptions' }], 'GRAPHQL_VALIDATION_FAILED');
  return { document, operation };
}

/** The schema for preparing operations, and the cache of the operations already checked. */
export interface PreparationDeps {
  schema: GraphQLSchema;
  chosen: OperationCache;
}

function prepare(
  operations: PreparationDeps,
  request: RequestParams,
  scopes: string[],
): ExecutionArgs | OperationRefusal {
  const { schema } = operations;
  const chosen = operations.chosen.find(request, () => choose(schema, request));
  if ('refusal' in chosen) return chosen;
  const { document, operation } = chosen;
  const { operationName, variables: variableValues } = request;
  // A mutation is counted by its aliases: one that failed in the middle would already have written.
  const counting = operation.operation === OperationTypeNode.QUERY && { fieldResolver: countingResolver() };
  const args = { schema, document, operationName, variableValues, ...counting };
  const forbidden = firstForbidden(args, operation, scopes);
  return forbidden ? { refusal: answer({ data: null, errors: [forbidden] }) } : args;
}

/**
 * The arguments for executing a request with these scopes, or the answer that refuses the request. Executes nothing.
 */
export function prepareOperation(
  operations: PreparationDeps,
  request: RequestParams,
  scopes: string[],
): ExecutionArgs | OperationRefusal {
  try {
    return prepare(operations, request, scopes);
  } catch (error) {
    // graphql recurses into values and selections, and the token limit allows more levels than the stack.
    if (error instanceof RangeError) return refuseAtLimit('The query is nested too deeply');
    // A directive at a root field has a null condition. graphql's own execution gives the same answer.
    if (error instanceof GraphQLError) return { refusal: answer({ data: null, errors: [error] }) };
    throw error;
  }
}
