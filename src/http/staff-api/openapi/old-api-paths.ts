import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../../../domain/old-calls/old-calls.ts';

/** The addresses of the old API and of the exchange, as far as programs that generate clients need them. */

type JsonObject = Record<string, unknown>;

/** `/1/profiles/:id/updates/sent` with its suffix and its parameter in braces. */
const pathOf = (path: string) => `${path.replaceAll(/:(\w+)/g, '{$1}')}.json`;

const parametersIn = (path: string): JsonObject[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const anyJson = { 'application/json': { schema: {} } };

const oldError = {
  type: 'object',
  required: ['error', 'code'],
  properties: { error: { type: 'string' }, code: { type: 'integer' } },
};

const refused = (description: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: oldError } },
});

/** A name in words: `moveUpdateToTop`, `move update to top`. */
const wordsOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function operationOf(name: OldCallName, path: string, method: string): JsonObject {
  const form = { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } };
  return {
    operationId: `old_${name}_${method}${path.startsWith('/1') ? '' : '_short'}`,
    summary: `The old call ${wordsOf(name)}`,
    description: 'Its form is frozen. docs/old-api.md tells every parameter and answer.',
    tags: ['old API'],
    security: [{ oldToken: [] }],
    parameters: parametersIn(path),
    ...(method === 'post' && { requestBody: { content: form } }),
    responses: {
      200: { description: 'The answer of the old API', content: anyJson },
      401: refused('The token is not served'),
      default: refused('A refusal of the old API'),
    },
  };
}

function oldCallPaths(): JsonObject {
  const paths: JsonObject = {};
  for (const name of OLD_CALL_NAMES) {
    const { paths: addresses, methods } = OLD_CALLS[name];
    for (const path of addresses)
      paths[pathOf(path)] = Object.fromEntries(
        methods.map((method) => [method.toLowerCase(), operationOf(name, path, method.toLowerCase())]),
      );
  }
  return paths;
}

const TEXT = { type: 'string' };

const oauthError = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
};

/** An answer with these fields, all of them there. */
const answerOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const tokenAnswers = (schema: JsonObject): JsonObject => ({
  200: { description: 'A token', content: { 'application/json': { schema } } },
  default: {
    description: 'A refusal (RFC 6749 §5.2)',
    content: { 'application/json': { schema: oauthError } },
  },
});

const formOf = (fields: readonly string[], optional: readonly string[] = []): JsonObject => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'object',
        required: fields,
        properties: Object.fromEntries([...fields, ...optional].map((name) => [name, { type: 'string' }])),
      },
    },
  },
});

const inQuery = (name: string, required: boolean): JsonObject => ({
  name,
  in: 'query',
  required,
  schema: { type: 'string' },
});

const authorize: JsonObject = {
  get: {
    operationId: 'old_authorize',
    summary: 'Where an app sends a person who is to allow it',
    tags: ['old API'],
    security: [],
    parameters: [
      inQuery('client_id', true),
      inQuery('redirect_uri', true),
      inQuery('response_type', true),
      inQuery('state', false),
    ],
    responses: { default: { description: 'A page for the person, or a redirect' } },
  },
};

const token: JsonObject = {
  post: {
    operationId: 'old_token',
    summary: 'Exchanges a code for a token that never expires',
    tags: ['old API'],
    security: [],
    requestBody: formOf(['client_id', 'client_secret', 'code', 'grant_type'], ['redirect_uri']),
    responses: tokenAnswers(answerOf({ access_token: TEXT })),
  },
};

/** The answer to an exchange, and the one to its confirmation: the two values of `grant_type`. */
const PAIR = answerOf({
  access_token: TEXT,
  issued_token_type: TEXT,
  token_type: TEXT,
  expires_in: { type: 'integer' },
  refresh_token: TEXT,
  scope: TEXT,
  migrated_tokens: { type: 'integer' },
});
const CONFIRMED = answerOf({ confirmed: { const: true }, migrated_tokens: { type: 'integer' } });

const exchange: JsonObject = {
  post: {
    operationId: 'exchange_token',
    summary:
      'Hands the token pair behind an old token over to the own client of its app (RFC 8693), and takes the confirmation of it',
    tags: ['exchange'],
    security: [{ appClient: [] }, {}],
    requestBody: formOf(
      ['grant_type', 'subject_token', 'subject_token_type'],
      ['client_id', 'client_secret'],
    ),
    responses: tokenAnswers({ oneOf: [PAIR, CONFIRMED] }),
  },
};

/** The paths by address. */
export function oldApiPaths(): JsonObject {
  return {
    ...oldCallPaths(),
    '/oauth2/authorize': authorize,
    '/1/oauth2/token.json': token,
    '/oauth2/exchange': exchange,
  };
}
