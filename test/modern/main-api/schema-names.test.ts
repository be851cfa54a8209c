import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { bearer, withBearer } from '../support/bearers.ts';
import { graphql } from '../support/modern.ts';
import { base } from '../support/running-modern.ts';

const read = (file: string) => readFileSync(join(__dirname, file), 'utf8');

let schema: GraphQLSchema;
withBearer();
beforeAll(async () => {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true });
  const { body } = await graphql(base, bearer, { query });
  schema = buildClientSchema(body.data);
});

const typed = ({ name, type, defaultValue }: GraphQLArgument | GraphQLInputField) =>
  `${name}: ${String(type)}${defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`}`;

const mark = ({ deprecationReason }: { deprecationReason?: string | null | undefined }) =>
  typeof deprecationReason === 'string' ? ' @deprecated' : '';

function argumentsOf(list: readonly GraphQLArgument[]): string {
  const names = list.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(typed);
  return names.length === 0 ? '' : `(${names.join(', ')})`;
}

/** The lines of recorded-names.txt for one type. */
function linesOf(type: GraphQLNamedType): string[] {
  const { name } = type;
  if (isScalarType(type)) return [`scalar ${name}`];
  if (isEnumType(type)) return type.getValues().map((value) => `enum ${name}.${value.name}${mark(value)}`);
  if (isUnionType(type)) return type.getTypes().map((member) => `union ${name} | ${member.name}`);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => `input ${name}.${typed(field)}`);
    return type.isOneOf ? [`input ${name} @oneOf`, ...fields] : fields;
  }
  const kind = isInterfaceType(type) ? 'interface' : 'type';
  return [
    ...type.getInterfaces().map((one) => `type ${name} implements ${one.name}`),
    ...Object.values(type.getFields()).map(
      (field) =>
        `${kind} ${name}.${field.name}${argumentsOf(field.args)}: ${String(field.type)}${mark(field)}`,
    ),
  ];
}

const served = () =>
  Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap(linesOf);

const recorded = read('recorded-names.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** `type Query.posts(first: Int): PostsResults!` is about Query and about Query.posts. */
function namesIn(line: string): string[] {
  const [, name = '', type = ''] = /^\w+ ((\w+)(?:\.\w+)?)/.exec(line) ?? [];
  return [name, type];
}

/** The names in backquotes in the first column of the README's table with this head. */
function namesBelow(head: string): string[] {
  const table = read('../README.md').split(`${head}\n`)[1]?.split('\n\n')[0] ?? '';
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

const beyond = namesBelow('| Beyond | Why |');
const said = namesBelow('| Name | What it says here | Why |');

test('the list of recorded names is whole, sorted and without doubles', () => {
  expect(recorded.length).toBeGreaterThan(950);
  expect([...new Set(recorded)].toSorted()).toEqual(recorded);
});

test('every recorded type, field, argument and enum value is served', () => {
  const all = new Set(served());
  expect(recorded.filter((line) => !all.has(line))).toEqual([]);
});

test('what is served beyond the recorded names stands in the table with its reason, and nothing else does', () => {
  const known = new Set(recorded);
  const more = served().filter((line) => !known.has(line));
  expect(more.filter((line) => !namesIn(line).some((name) => beyond.includes(name)))).toEqual([]);
  expect(beyond.filter((name) => !more.some((line) => namesIn(line).includes(name)))).toEqual([]);
  expect(beyond.length).toBeGreaterThan(0);
});

test('what says less than on the real service is named as it is recorded', () => {
  expect(said.length).toBeGreaterThan(20);
  expect(said.filter((name) => !recorded.some((line) => namesIn(line).includes(name)))).toEqual([]);
});
