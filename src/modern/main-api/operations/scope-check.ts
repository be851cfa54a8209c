import {
  type ExecutionArgs,
  type FieldNode,
  getDirectiveValues,
  getVariableValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { operations } from './operations-table.ts';

const rules: Record<string, { scope: string }> = operations;

/** Refuses a field when the token lacks the scope. `field` gives the place in the query. */
export function forbidden(scope: string, field?: FieldNode): GraphQLError {
  const where = field && { nodes: field, path: [(field.alias ?? field.name).value] };
  return new GraphQLError(`The access token lacks the scope ${scope}`, {
    ...where,
    extensions: { code: 'FORBIDDEN' },
  });
}

/** Refuses an app when the field runs. Only queries are closed to apps: no mutation can be half done at that time. */
export const forbiddenForApps = () =>
  new GraphQLError('Only a personal API key may ask for this', { extensions: { code: 'FORBIDDEN' } });

interface OperationWalk {
  document: ExecutionArgs['document'];
  variables: Record<string, unknown>;
  /** Names of visited fragments. Each fragment counts once, as in the execution. */
  seen: Set<string>;
}

const isLeftOut = (node: SelectionNode, { variables }: OperationWalk) =>
  getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true ||
  getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false;

function fieldsOfFragment(name: string, run: OperationWalk): FieldNode[] {
  if (run.seen.has(name)) return [];
  run.seen.add(name);
  const fragment = run.document.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  );
  return fragment && 'selectionSet' in fragment ? fieldsThatRun(fragment.selectionSet.selections, run) : [];
}

function fieldsThatRun(selections: readonly SelectionNode[], run: OperationWalk): FieldNode[] {
  return selections.flatMap((node) => {
    if (isLeftOut(node, run)) return [];
    if (node.kind === Kind.FIELD) return [node];
    return node.kind === Kind.FRAGMENT_SPREAD
      ? fieldsOfFragment(node.name.value, run)
      : fieldsThatRun(node.selectionSet.selections, run);
  });
}

/**
 * Refuses the first root field that would run although the token lacks the scope of the field; the operation must be
 * valid. Undefined when the scopes allow every root field, or when the variables do not fit and no field will run. The
 * check comes before the execution, because the refusal of a later field must not hide the result of a finished
 * mutation.
 */
export function firstForbidden(
  { schema, document, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
  scopes: readonly string[],
): GraphQLError | undefined {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    // The first error shows that the variables do not fit; each further error costs more than the last.
    maxErrors: 1,
  });
  if (!coerced) return undefined;
  const run = { document, variables: coerced, seen: new Set<string>() };
  const isClosed = ({ scope }: { scope: string }) => !scopes.includes(scope);
  for (const field of fieldsThatRun(operation.selectionSet.selections, run)) {
    const rule = rules[field.name.value];
    if (rule && isClosed(rule)) return forbidden(rule.scope, field);
  }
  return undefined;
}
