import { type GraphQLNamedType, isIntrospectionType, isSpecifiedScalarType } from 'graphql';
import { bearer, withBearer } from '../support/bearers.ts';
import { type GeneratedClient, generateClient } from '../support/generated-client.ts';
import { base } from '../support/running-modern.ts';

const MARK = /\[(?:spec|recorded|inferred)\b[^\]]*\]/;

let client: GeneratedClient;
withBearer();
beforeAll(async () => void (client = await generateClient(base, bearer)));

interface Described {
  name: string;
  description?: string | null | undefined;
}

const unmarked = (all: readonly Described[]) =>
  all.filter(({ description }) => !MARK.test(description ?? '')).map(({ name }) => name);

const isOwn = (type: GraphQLNamedType) => !isIntrospectionType(type) && !isSpecifiedScalarType(type);

test('every type says whether it was specified, recorded or inferred', () => {
  const types = Object.values(client.schema.getTypeMap()).filter(isOwn);
  expect(types.length).toBeGreaterThan(100);
  expect(unmarked(types)).toEqual([]);
});

test('every query and mutation says whether it was specified, recorded or inferred', () => {
  const roots = [client.schema.getQueryType(), client.schema.getMutationType()];
  const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
  expect(fields.map(({ name }) => name).toSorted()).toEqual(client.operations.toSorted());
  expect(unmarked(fields)).toEqual([]);
});
