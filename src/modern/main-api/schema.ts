import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { projectRoot } from '../../shared/project-root.ts';
import { defineDateTime } from './date-time.ts';

const folder = join(projectRoot, 'src', 'modern', 'main-api', 'schema');

function idFrom(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('An id must be a string');
}

/**
 * Gives DateTime and the id scalars the rules for input. The schema accepts every string as an id: an unknown id is
 * NOT_FOUND, not a validation error.
 */
function defineScalars(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(type instanceof GraphQLScalarType)) continue;
    if (type.name === 'DateTime') defineDateTime(type);
    if (!/.Id$/.test(type.name)) continue;
    type.parseValue = idFrom;
    type.parseLiteral = (node) => idFrom(node.kind === Kind.STRING ? node.value : undefined);
  }
}

function createSchema(): GraphQLSchema {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  const schema = buildSchema(files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'));
  defineScalars(schema);
  return schema;
}

let loaded: GraphQLSchema | undefined;

/**
 * The schema of the main API, of all files schema/*.graphql. Servers of one process share it, for it does not change.
 * Throws when the files do not fit together.
 */
export function loadSchema(): GraphQLSchema {
  loaded ??= createSchema();
  return loaded;
}
