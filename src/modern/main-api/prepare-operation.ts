import { getOperationAST, GraphQLError, parse, validate } from 'graphql';
import type { ExecutionArgs, GraphQLSchema } from 'graphql';
import type { RequestParams, Response } from 'graphql-http';

/** The token limit of the real service (modern-api.md 1.7); it bounds what parsing and validation can cost. */
const MAX_TOKENS = 15_000;

export type Coded = readonly { readonly message: string }[];

/** A 400 whose errors all carry `code`; graphql-http alone would answer 200 to `Accept: application/json`. */
export function badRequest(errors: Coded, code: string): Response {
  const coded = errors.map((error) => ({
    ...(error instanceof GraphQLError ? error.toJSON() : { message: error.message }),
    extensions: { code },
  }));
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return [JSON.stringify({ errors: coded }), { status: 400, statusText: 'Bad Request', headers }];
}

function parseQuery(query: string) {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    return error instanceof GraphQLError ? error : new GraphQLError(String(error));
  }
}

const refuse = (errors: Coded, code: string) => ({ refusal: badRequest(errors, code) });

/** What to execute for a request, or the 400 that says why not. */
export function prepareOperation(
  schema: GraphQLSchema,
  { query, operationName, variables: variableValues }: RequestParams,
): ExecutionArgs | { refusal: Response } {
  const document = parseQuery(query);
  if (document instanceof Error) return refuse([document], 'GRAPHQL_PARSE_FAILED');
  const errors = validate(schema, document);
  if (errors.length > 0) return refuse(errors, 'GRAPHQL_VALIDATION_FAILED');
  if (!getOperationAST(document, operationName)) {
    return refuse([{ message: 'The operation to run is not clear' }], 'OPERATION_RESOLUTION_FAILURE');
  }
  return { schema, document, operationName, variableValues };
}
