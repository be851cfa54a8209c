import { z } from 'zod';
import { buildInfo } from '../../../domain/instance/build-info.ts';
import { NAMED_SCHEMAS } from '../answers/parts.ts';
import type { ApiOperation } from '../operation.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { oldApiPaths } from './old-api-paths.ts';
import { operationObject } from './operation-object.ts';
import { problemSchema } from './problem-schema.ts';

/** The OpenAPI document, made of the operations. */

type JsonObject = Record<string, unknown>;

const uri = (id: string) => `#/components/schemas/${id}`;

/**
 * The schemas with a name, each answer and the problem. A reference leads to its name. As input they are open: an answer may get
 * further fields, and a client that is made of this document has to take it then.
 */
function namedSchemas(): JsonObject {
  const { schemas } = z.toJSONSchema(NAMED_SCHEMAS, { uri, io: 'input' });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _s, $id: _id, ...schema }]) => [id, schema]),
  );
}

function pathsOf(operations: readonly ApiOperation[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const one of operations) {
    const path = `/api/v1${one.path}`;
    paths[path] = { ...paths[path], [one.method]: operationObject(one) };
  }
  return paths;
}

const DESCRIPTION = `What the pages of support and the operator's commands do, for programs. Each request carries a key in
\`Authorization: Bearer\`; the key has a role, as staff have. The addresses of the old API and of the exchange are
described too, for the programs that generate clients.`;

const security = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'A key that begins with gbk_.' },
  oldToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of the old API; also as access_token in the query.',
  },
  appClient: { type: 'http', scheme: 'basic', description: 'client_id and client_secret of an app.' },
};

/** The document of this installation. */
export function openApiDocument(publicUrl: string): JsonObject {
  // First, for each answer gets its name there.
  const paths = pathsOf(OPERATIONS);
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'grantbridge', version: buildInfo().version, description: DESCRIPTION },
    servers: [{ url: publicUrl }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag)), 'old API', 'exchange'].map((name) => ({ name })),
    paths: { ...paths, ...oldApiPaths() },
    components: { schemas: { ...namedSchemas(), Problem: problemSchema }, securitySchemes: security },
  };
}
