/** The limits that a query must keep before validation; all numbers as recorded. */
import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  validate,
  type ValidationContext,
} from 'graphql';
import { type Variables, withPageSizes } from './page-sizes.ts';

export const MAX_TOKENS = 15_000;

// The rules report an error: a rule that throws would end the validation with an exception. The messages replace the
// messages of the packages, which claim a syntax error.
const reportAs = (message: string) => ({
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null) => context?.reportError(new GraphQLError(message))],
});

// The limits hold for introspection too: a deep introspection costs as much as any other query, and the usual
// introspection keeps the limits.
const rules = [
  maxDepthRule({
    n: 25,
    flattenFragments: true,
    ignoreIntrospection: false,
    ...reportAs('The query is deeper than the limit of 25 levels'),
  }),
  maxAliasesRule({ n: 30, allowList: [], ...reportAs('The query has more than the limit of 30 aliases') }),
  maxDirectivesRule({ n: 50, ...reportAs('The query has more than the limit of 50 directives') }),
  costLimitRule({
    maxCost: 175_000,
    scalarCost: 1,
    objectCost: 2,
    depthCostFactor: 1.5,
    flattenFragments: true,
    ignoreIntrospection: false,
    ...reportAs('The query costs more than the limit of 175,000 points'),
  }),
];

/**
 * The first limit that a query breaks, without a code as on the real service. Undefined when the query keeps all
 * limits.
 */
export function brokenLimit(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables,
): GraphQLError | undefined {
  // The cost rule reads a page size only when the size is a number in the query.
  const [error] = validate(schema, withPageSizes(schema, document, variables), rules);
  return error;
}
