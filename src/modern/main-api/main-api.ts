/**
 * The main API (docs/embedded-new-api.md): POST / and POST /graphql, one GraphQL schema, bearer tokens. The main API
 * owns the schema and the rules of access. The main API knows neither the authorization server nor the store: both come
 * in as functions. Any other server can mount the main API over its own tokens.
 */
import type { IncomingMessage } from 'node:http';
import { Router, text } from 'express';
import type { Request, Response } from 'express';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { createHandler, type Response as HandledResponse } from 'graphql-http';
import { errorHandler } from '../error-handler.ts';
import { brokenAnswerLimit } from './operations/answer-size.ts';
import { type CallerAuthenticator, type ApiCaller, requireBearer } from './authentication.ts';
import { createChosenOperations } from './operations/chosen-operations.ts';
import type { ApiContext } from './context.ts';
import type { MainApiData } from './data.ts';
import type { ChannelRecord } from './directory.ts';
import { badRequest, limitReached, prepareOperation } from './operations/prepare-operation.ts';
import { limitCalls, type Quotas } from './quotas.ts';
import { createRoot } from './root.ts';
import { loadSchema } from './schema.ts';

const BODY_LIMIT = '256kb';

export interface MainApiServerDeps {
  authenticate: CallerAuthenticator;
  data: MainApiData;
  /** Unset: the default quotas, which are generous. */
  quotas?: Quotas | undefined;
  /** Called with every error that is a bug of ours. The client reads only "unexpected". */
  onUnexpected: (error: Error) => void;
}

/**
 * The context of one request. Remembers channels: every post of a list looks up the channel of the post, a list has few
 * channels, and no operation changes a channel.
 */
function contextOf(caller: ApiCaller, data: MainApiData): ApiContext {
  const known = new Map<string, ChannelRecord | undefined>();
  const findChannel = (id: string) => {
    if (!known.has(id)) known.set(id, data.findChannel(id));
    return known.get(id);
  };
  return { caller, data: { ...data, findChannel } };
}

function answerTo(result: ExecutionResult): HandledResponse | undefined {
  // A result without `data` was not executed: the variables do not fit the query.
  if (!('data' in result) && 'errors' in result) return badRequest(result.errors ?? [], 'BAD_USER_INPUT');
  const limit = brokenAnswerLimit(result);
  return limit === undefined ? undefined : limitReached(limit);
}

function createOperationHandler({ data, onUnexpected }: MainApiServerDeps) {
  const schema = loadSchema();
  const operations = { schema, chosen: createChosenOperations() };
  const rootValue = createRoot(schema, onUnexpected);
  return createHandler<IncomingMessage, ApiCaller, ApiContext>({
    onSubscribe: ({ context: caller }, params) => {
      const prepared = prepareOperation(operations, params, caller.scopes);
      return 'refusal' in prepared
        ? prepared.refusal
        : { ...prepared, rootValue, contextValue: contextOf(caller, data) };
    },
    onOperation: (_req, _args, result) => ('next' in result ? undefined : answerTo(result)),
    formatError: (error) => {
      const bug = error instanceof GraphQLError ? error.originalError : undefined;
      if (!bug || bug instanceof GraphQLError) return error;
      onUnexpected(bug);
      return new GraphQLError('An unexpected error occurred', { extensions: { code: 'UNEXPECTED' } });
    },
  });
}

/** Removes the quotes of a parameter (RFC 9110 §5.6.6), which graphql-http does not understand. */
const unquoted = (contentType: string | undefined) => contentType?.replaceAll(/="([\w-]+)"/g, '=$1');

function answerWith(handle: ReturnType<typeof createOperationHandler>) {
  return async (req: Request, res: Response): Promise<void> => {
    const caller: ApiCaller = res.locals['caller'];
    const [body, init] = await handle({
      method: req.method,
      url: req.url,
      // Every answer is JSON, whatever the Accept header of the client says.
      headers: { 'content-type': unquoted(req.headers['content-type']), accept: 'application/json' },
      body: typeof req.body === 'string' ? req.body : '',
      raw: req,
      context: caller,
    });
    res
      .status(init.status)
      .set(init.headers ?? {})
      .type('json');
    res.send(body ?? refusal('Unsupported Content-Type'));
  };
}

const refusal = (message: string) => JSON.stringify({ errors: [{ message }] });

const bodyProblems: Record<number, string> = {
  400: 'The body could not be read',
  413: 'The body is larger than 256 kB',
  415: 'Unsupported Content-Encoding or charset',
};

/** A body that express cannot read is a mistake of the client. Every other error is a bug of ours. */
const refuseBody = (onUnexpected: MainApiServerDeps['onUnexpected']) =>
  errorHandler((error, res) => {
    const status = Number(Object(error).status);
    const problem = bodyProblems[status];
    if (problem === undefined) onUnexpected(error instanceof Error ? error : new Error(String(error)));
    res.status(problem === undefined ? 500 : status).type('json');
    res.send(refusal(problem ?? 'An unexpected error occurred'));
    return true;
  });

function refuseMethod(_req: Request, res: Response): void {
  res.status(405).set('Allow', 'POST').type('json').send(refusal('The main API takes POST only'));
}

/** The router for the root of {base_url}. Checks the token first, then the quotas, and reads the body last. */
export function createMainApiServer(parts: MainApiServerDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const readBody = text({ type: () => true, limit: BODY_LIMIT });
  const answer = answerWith(createOperationHandler(parts));
  const admit = [requireBearer(parts.authenticate), limitCalls(parts.quotas)];
  router.post(['/', '/graphql'], admit, readBody, answer);
  router.all('/graphql', admit, refuseMethod);
  router.use(refuseBody(parts.onUnexpected));
  return router;
}
