import { GraphQLError } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { accountQueries } from './account.ts';
import { isKey } from './authentication.ts';
import { channelQueries } from './channels.ts';
import type { ApiContext } from './context.ts';
import { ideaOperations } from './ideas/operations.ts';
import { metricsOperations } from './metrics/operations.ts';
import { operations } from './operations/operations-table.ts';
import { postTemplateOperations } from './post-templates/operations.ts';
import { postOperations } from './posts/operations.ts';
import { queueOperations } from './queue/operations.ts';
import { forbidden, forbiddenForApps } from './operations/scope-check.ts';
import { snippetOperations } from './snippets/operations.ts';
import { accountMutations } from './update-account.ts';

type Resolver = (args: never, context: ApiContext) => unknown;
type Rule = { scope: string; failure?: string; keysOnly?: true };

const resolvers: Record<string, Resolver> = {
  ...accountQueries,
  ...channelQueries,
  ...postOperations,
  ...queueOperations,
  ...metricsOperations,
  ...postTemplateOperations,
  ...ideaOperations,
  ...snippetOperations,
  ...accountMutations,
};

const rules: Record<string, Rule> = operations;

/**
 * Checks the scope of the caller again and runs the resolver. A bug of ours becomes the union member `rule.failure`; a
 * rule without `failure` lets the error through.
 */
function guard(rule: Rule, resolve: Resolver, onUnexpected: (error: Error) => void): Resolver {
  return (args, context) => {
    if (!context.caller.scopes.includes(rule.scope)) throw forbidden(rule.scope);
    if (rule.keysOnly && !isKey(context.caller)) throw forbiddenForApps();
    if (rule.failure === undefined) return resolve(args, context);
    try {
      return resolve(args, context);
    } catch (error) {
      if (error instanceof GraphQLError || !(error instanceof Error)) throw error;
      onUnexpected(error);
      return { __typename: rule.failure, message: 'An unexpected error occurred' };
    }
  };
}

function rootFields(schema: GraphQLSchema): string[] {
  const types = [schema.getQueryType(), schema.getMutationType()];
  return types.flatMap((type) => Object.keys(type?.getFields() ?? {}));
}

/**
 * The root value of the schema. Throws unless the schema, the scope table and the resolvers name the same operations.
 */
export function createRoot(
  schema: GraphQLSchema,
  onUnexpected: (error: Error) => void,
): Record<string, Resolver> {
  const names = [rootFields(schema), Object.keys(rules), Object.keys(resolvers)].map((list) =>
    list.toSorted().join(' '),
  );
  if (new Set(names).size !== 1)
    throw new Error(`operations differ between schema, scopes and code: ${names.join(' | ')}`);
  const guarded = Object.entries(resolvers).map(([name, resolve]) => {
    const rule = rules[name];
    if (!rule) throw new Error(`no scope for ${name}`);
    return [name, guard(rule, resolve, onUnexpected)] as const;
  });
  return Object.fromEntries(guarded);
}
