import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { DEFAULT_SIZE, MAX_SIZE } from './paging.ts';

export type Variables = Readonly<Record<string, unknown>> | null | undefined;

type PageSizeReader = (value: ValueNode | undefined) => number;

/** The default of each variable. When several operations declare a variable, the largest default counts. */
function defaultsIn(document: DocumentNode): Map<string, number> {
  const defaults = new Map<string, number>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { variable, defaultValue } of definition.variableDefinitions ?? []) {
      const size = defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : DEFAULT_SIZE;
      defaults.set(variable.name.value, Math.max(size, defaults.get(variable.name.value) ?? 0));
    }
  }
  return defaults;
}

/** Null means the default page size, like an absent `first`. */
function sizesFor(document: DocumentNode, variables: Variables): PageSizeReader {
  const defaults = defaultsIn(document);
  return (value) => {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return DEFAULT_SIZE;
    const name = value.name.value;
    const given = variables && Object.hasOwn(variables, name) ? variables[name] : defaults.get(name);
    // readPage refuses a larger page with a separate message.
    return typeof given === 'number' ? Math.min(given, MAX_SIZE) : DEFAULT_SIZE;
  };
}

function withSize(field: FieldNode, sizeOf: PageSizeReader): FieldNode {
  const given = field.arguments?.find(({ name }) => name.value === 'first');
  const others = field.arguments?.filter((argument) => argument !== given) ?? [];
  const name = { kind: Kind.NAME, value: 'first' } as const;
  const value = { kind: Kind.INT, value: String(sizeOf(given?.value)) } as const;
  return { ...field, arguments: [{ kind: Kind.ARGUMENT, name, value }, ...others] };
}

/**
 * The document with every page size as a number in `first`. The size comes from the query, a variable, the default of
 * the variable, or the default page size. The cost rule reads this document; the document is not executed.
 */
export function withPageSizes(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables,
): DocumentNode {
  const types = new TypeInfo(schema);
  const sizeOf = sizesFor(document, variables);
  const isPaged = () => types.getFieldDef()?.args.some(({ name }) => name === 'first');
  const enter = (field: FieldNode) => (isPaged() ? withSize(field, sizeOf) : undefined);
  return visit(document, visitWithTypeInfo(types, { [Kind.FIELD]: { enter } }));
}
