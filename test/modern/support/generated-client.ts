import { buildOperationNodeForField } from '@graphql-tools/utils';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  print,
  validate,
  visit,
} from 'graphql';
import { graphql, type GraphqlAnswer } from './modern.ts';

export interface GeneratedClient {
  schema: GraphQLSchema;
  /** The names of all root fields, queries and mutations. */
  operations: string[];
  /** Sends the generated operation that asks for every field; `variables` are the arguments of the root field. */
  run(operation: string, variables: object, authorization?: string): Promise<GraphqlAnswer>;
}

const fieldsOf = (schema: GraphQLSchema, kind: 'Query' | 'Mutation') =>
  Object.keys((kind === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields() ?? {});

/** Which member of a union an answer is, is asked like a field of its own. */
const withTypeNames = (document: DocumentNode): DocumentNode =>
  visit(document, {
    SelectionSet(node, _key, parent) {
      if (!parent || !('kind' in parent) || parent.kind !== Kind.FIELD) return undefined;
      const name = { kind: Kind.NAME, value: '__typename' } as const;
      return { ...node, selections: [{ kind: Kind.FIELD, name }, ...node.selections] };
    },
  });

function generate(schema: GraphQLSchema, field: string): string {
  const kind = fieldsOf(schema, 'Query').includes(field)
    ? OperationTypeNode.QUERY
    : OperationTypeNode.MUTATION;
  const operation = buildOperationNodeForField({ schema, kind, field, depthLimit: 8 });
  const document = withTypeNames({ kind: Kind.DOCUMENT, definitions: [operation] });
  const [problem] = validate(schema, document);
  if (problem) throw problem;
  return print(document);
}

/** A client that knows nothing but what the server says of itself when it is asked. */
export async function generateClient(base: string, bearer: string): Promise<GeneratedClient> {
  const told = await graphql(base, bearer, { query: getIntrospectionQuery() });
  const schema = buildClientSchema(told.body.data);
  return {
    schema,
    operations: [...fieldsOf(schema, 'Query'), ...fieldsOf(schema, 'Mutation')],
    run: (operation, variables, authorization = bearer) =>
      graphql(base, authorization, { query: generate(schema, operation), variables }),
  };
}
