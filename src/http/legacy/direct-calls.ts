import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../shared/log/logger.ts';

/**
 * The way around the router of Express for the reads that old integrations send most. To find the handlers of an address,
 * the router tries the pattern of every address before it: for a cached answer that look costs more than the answer. A
 * direct call passes the very same handlers in the same order. Every other request goes to Express.
 */

/** All steps of one address, from the first byte to the answer. */
interface DirectCall {
  methods: readonly string[];
  steps: readonly RequestHandler[];
}

/** The direct calls, by path. A path with an id has `:id` in its place. */
export type DirectCalls = ReadonlyMap<string, DirectCall>;

/** A call with the parameters of its address. */
interface FoundCall {
  call: DirectCall;
  params: { id?: string };
}

interface DirectAnswerInput {
  app: Express;
  calls: DirectCalls;
  /** Answers the error of any step. */
  failures: ErrorRequestHandler;
  logger: Logger;
}

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

/** Prepares a request and its answer as Express does, so that every step finds the same fields. */
function prepare(
  app: Express,
  { req, res }: Exchange,
  params: FoundCall['params'],
): { req: Request; res: Response } {
  const prepared = {
    req: Object.setPrototypeOf(req, app.request) as Request,
    res: Object.setPrototypeOf(res, app.response) as Response,
  };
  prepared.res.locals = {};
  prepared.req.res = prepared.res;
  prepared.req.originalUrl = prepared.req.url;
  prepared.req.baseUrl = '';
  prepared.req.params = params;
  return prepared;
}

/** Runs the steps. A step ends the call, goes on by `next()`, or fails by `next(error)`, a throw or a rejection. */
function takeSteps(
  { steps }: DirectCall,
  { req, res }: { req: Request; res: Response },
  fail: (error: unknown) => void,
): void {
  const take = (index: number): void => {
    const next = (error?: unknown) => (error === undefined ? take(index + 1) : fail(error));
    try {
      const done: unknown = steps[index]?.(req, res, next);
      if (done instanceof Promise) done.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  take(0);
}

/** The path of a request; a fragment, which no client should send, makes the address unusual. */
function pathOf(address: string): string | undefined {
  if (address.includes('#')) return undefined;
  const end = address.indexOf('?');
  return end < 0 ? address : address.slice(0, end);
}

/** An id in the form of both APIs. No name of a call has this form, so no other address is meant. */
const WITH_ID = /^(\/1\/(?:profiles|updates)\/)([0-9a-f]{24})(?=[/.]|$)/;

function callAt(calls: DirectCalls, path: string): FoundCall | undefined {
  const fixed = calls.get(path);
  if (fixed) return { call: fixed, params: {} };
  const [start, before, id] = WITH_ID.exec(path) ?? [];
  if (start === undefined || id === undefined) return undefined;
  const call = calls.get(`${before}:id${path.slice(start.length)}`);
  return call && { call, params: { id } };
}

function directCallOf(calls: DirectCalls, { url, method }: IncomingMessage): FoundCall | undefined {
  const found = callAt(calls, pathOf(url ?? '') ?? '');
  return found?.call.methods.includes(method ?? '') ? found : undefined;
}

/** Answers direct calls; passes every other request to `app`. */
export function answerDirectly({ app, calls, failures, logger }: DirectAnswerInput): RequestListener {
  return (incoming, outgoing) => {
    const found = directCallOf(calls, incoming);
    if (!found) return app(incoming, outgoing);
    const { req, res } = prepare(app, { req: incoming, res: outgoing }, found.params);
    // Nothing is left to do with an error of the failures themselves but to end the connection. Thrown from here, the
    // error would end the process.
    const fail = (error: unknown) => {
      try {
        failures(error, req, res, () => res.destroy());
      } catch (cause) {
        logger.error('a refusal could not be sent', { error: cause });
        res.destroy();
      }
    };
    takeSteps(found.call, { req, res }, fail);
  };
}
