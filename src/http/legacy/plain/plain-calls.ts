import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { LegacyDeps } from '../deps.ts';
import { dependsOnApp, endingOf } from '../../../domain/lifecycle/lifecycle.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { isPlainlyServed } from '../../../domain/tokens/resolve-token.ts';
import { andThen, type Soon } from '../../../shared/and-then.ts';
import { newHexId } from '../../../shared/ids.ts';
import { containErrors } from '../../../shared/net/contain-errors.ts';
import { createCallRefusal } from '../../overload/refuse-call.ts';
import type { PlainToken } from '../../../domain/posts/told-profiles.ts';
import { hasRoom, learnApp, mayAskForKept } from '../../overload/room-for-call.ts';
import { REQUEST_ID } from '../../request-id.ts';
import type { RequestLogMode } from '../../request-log.ts';
import { createAddedLines, hasCommonDates } from '../../wire/added-headers.ts';
import { type CarriedToken, onlyToken, tokensAt } from '../../wire/bearer-token.ts';
import { plainArrival, type TrustProxy } from '../../wire/https.ts';
import { headersOfJson } from '../../wire/legacy-error.ts';
import { formParameters, type Parameters, parametersIn } from '../../wire/request-parameters.ts';
import { isForm, readShortBody, shortLengthOf } from './short-body.ts';
import { successorLink } from '../../wire/successor-link.ts';
import { countAtEnd } from '../metrics/measure-call.ts';
import { createCallLimit } from '../pass-through/pass-through.ts';
import { noteAnswered } from '../usage-note.ts';
import { type KeptText, keptTextOf, markMissed } from './kept-texts.ts';
import { type FoundAddress, PLAIN_ADDRESSES, plainAddressOf } from './plain-address.ts';
import { createTurnEnd } from './turn-end.ts';

/**
 * The short way of the most frequent calls: `profiles.json`, `user.json` and the first page of a list of posts, with one
 * good token and a text that is kept. Every rule here is the function that the ordinary way uses. In any doubt the call takes the
 * ordinary way from its beginning: until the answer is certain, nothing is counted and nothing is sent.
 */

interface PlainWayInput {
  context: LegacyDeps;
  perMinute: number;
  trusts: TrustProxy;
  logRequests: RequestLogMode;
  /** The ordinary way. */
  otherwise: RequestListener;
}

/** A call that may take the short way, as far as its head tells. */
interface PlainCall {
  req: IncomingMessage;
  res: ServerResponse;
  found: FoundAddress;
  query: Parameters;
  isSecure: boolean;
  startedAt: number;
}

/** A call that an overloaded process refuses. */
interface PlainRefusal {
  refusedCarrier: CarriedToken['carrier'];
}

/** The answer of a call, once it is certain. */
interface PlainAnswer {
  mapping: PlainToken;
  carrier: CarriedToken['carrier'];
  text: string;
  /** The age of a last known answer in whole seconds. */
  age: number | undefined;
}

/** GET without a body, or POST with a short body or none. */
function hasPlainBody(req: IncomingMessage): boolean {
  const length = shortLengthOf(req);
  return length === 0 || (req.method === 'POST' && length !== undefined);
}

/** Whether no date and no brownout of the sunset concerns any app at the moment. */
function isBeforeSunset({ lifecycle, clock }: LegacyDeps): boolean {
  const [known, now] = [lifecycle.current(), clock.now()];
  return !dependsOnApp(known, 'sunset', now) && !endingOf(known, 'sunset', { clientId: undefined, now });
}

/** Whether the request log has a line for answers without a fault. */
const isLogged = ({ context, logRequests }: PlainWayInput) =>
  logRequests === 'all' || context.logger.isLevelEnabled('debug');

const isMethod = (method: string | undefined) => method === 'GET' || method === 'POST';

/** Whether an answer of the new API is ever served twice, and so a text can be kept. */
const keepsTexts = ({ settings }: LegacyDeps) => settings.profilesFresh > 0;

/** Whether every call may be answered now, and without a line in the request log. */
const isPlainMoment = (way: PlainWayInput) =>
  keepsTexts(way.context) && !isLogged(way) && isBeforeSunset(way.context);

/** Whether the call belongs to a trace, which only the ordinary way takes along. */
const isTraced = ({ context: { tracing } }: PlainWayInput, req: IncomingMessage) =>
  req.headers['traceparent'] !== undefined || tracing?.isDrawn(req) === true;

const isPlainRequest = (req: IncomingMessage) =>
  isMethod(req.method) && hasPlainBody(req) && req.headers.upgrade === undefined;

/** The call of a request; undefined where the head of the request is not plain. */
function plainCallOf(way: PlainWayInput, req: IncomingMessage, res: ServerResponse): PlainCall | undefined {
  const found = plainAddressOf(req.url ?? '');
  if (!found || !isPlainRequest(req) || isTraced(way, req) || !isPlainMoment(way)) return undefined;
  const arrival = plainArrival(req, way.trusts);
  if (!arrival) return undefined;
  const query = parametersIn(req.url ?? '');
  return { req, res, found, query, isSecure: arrival.isSecure, startedAt: performance.now() };
}

/** The form in a body. @throws {MalformedBody} */
const formOf = ({ req }: PlainCall, body: Buffer | undefined) =>
  body && isForm(req, body) ? formParameters(body) : undefined;

/** Whether nothing about the token's app asks for more than the plain answer. */
function isPlainApp({ lifecycle, live, settings }: LegacyDeps, mapping: PlainToken): boolean {
  const hasDates = hasCommonDates(lifecycle.current(), provenApp(mapping));
  return hasDates && !settings.shadow && !live.isWatched(mapping.client_id);
}

function createAnswerFinder({ context, perMinute }: PlainWayInput) {
  const limit = createCallLimit(context, perMinute);
  const isPlain = (mapping: PlainToken) => isPlainlyServed(context, mapping) && isPlainApp(context, mapping);
  const answerTo = (
    { req }: PlainCall,
    { token, carrier }: CarriedToken,
    { mapping, find }: KeptText,
  ): PlainAnswer | undefined => {
    learnApp(context, token, mapping);
    const { text, age, isKept } = find();
    if (text === undefined && isKept) markMissed(req);
    if (text === undefined || !limit.admits(mapping)) return undefined;
    // The open breaker has a line in the log for all callers: `tellLastKnown`.
    if (age !== undefined) context.metrics.upstream.noteLastKnown();
    return { mapping, carrier, text, age };
  };
  /**
   * The answer of a call, or its refusal; undefined where there is a doubt.
   * @throws {LegacyError | MalformedBody} two tokens differ, or body or parameters cannot be read
   */
  return (call: PlainCall, body: Buffer | undefined): Soon<PlainEnd | undefined> => {
    const { req, found, query } = call;
    const form = formOf(call, body);
    if (body && !form) return undefined;
    const carried = onlyToken(tokensAt({ rawHeaders: req.rawHeaders, query, body: form }));
    if (!carried) return undefined;
    const refusal = { refusedCarrier: carried.carrier };
    if (!mayAskForKept(context, req, carried.token)) return refusal;
    const kept = keptTextOf(context, carried.token, { found, parameters: { query, form } });
    const answer = andThen(kept, (known) =>
      known && isPlain(known.mapping) ? answerTo(call, carried, known) : undefined,
    );
    return andThen(answer, (certain) => {
      if (certain) return certain;
      context.overload.missesKept(carried.token);
      return hasRoom(context, req, carried.token) ? undefined : refusal;
    });
  };
}

/** Sends something. A fault closes this connection alone. */
function contained({ logger }: LegacyDeps, res: ServerResponse, send: () => void): void {
  try {
    send();
  } catch (error) {
    logger.error('a plain answer could not be sent', { error });
    res.destroy();
  }
}

function createSender({ context }: PlainWayInput) {
  const { publicUrl } = context.settings;
  const addedFor = createAddedLines(context);
  const atTurnEnd = createTurnEnd();
  const successors = new Map(
    PLAIN_ADDRESSES.map(({ path }) => [path, successorLink(publicUrl, { baseUrl: '', path })]),
  );
  return (call: PlainCall, { mapping, carrier, text, age }: PlainAnswer): void => {
    context.overload.answersKept(provenApp(mapping));
    const { req, res, isSecure, startedAt } = call;
    const { path, name } = call.found.address;
    const { method = '', headers } = req;
    const userAgent = headers['user-agent'];
    countAtEnd(context, {
      res,
      startedAt,
      labelsOf: () => ({ endpoint: name, carrier, answeredBy: 'new' }),
      whenAnswered() {
        const { statusCode: status } = res;
        const seen = { method, endpoint: path, userAgent, address: undefined, status, isPassed: false };
        noteAnswered(context, { mapping, carrier }, seen);
      },
    });
    const added = addedFor(successors.get(path), isSecure);
    const aged = age === undefined ? [] : ['Age', String(age)];
    const head = [REQUEST_ID, newHexId(), ...added, ...aged, ...headersOfJson(text)];
    atTurnEnd(() => contained(context, res, () => res.writeHead(200, head).end(text)));
  };
}

type PlainEnd = PlainAnswer | PlainRefusal;

interface ReadCall {
  call: PlainCall;
  /** The body, where the request has one. */
  body: Buffer | undefined;
}

/** An end; undefined after a fault, because the ordinary way meets the same fault and answers it. */
function unlessFault(find: () => Soon<PlainEnd | undefined>): Soon<PlainEnd | undefined> {
  try {
    const found = find();
    return found instanceof Promise ? found.catch(() => undefined) : found;
  } catch {
    return undefined;
  }
}

/** Answers plain calls; passes every other request to the ordinary way. */
export function answerPlainly(way: PlainWayInput): RequestListener {
  const answerOf = createAnswerFinder(way);
  const send = createSender(way);
  // Without a log: where every request has a line, no call takes this way.
  const refuse = createCallRefusal(way.context);
  const { otherwise } = way;
  const end = ({ call, body }: ReadCall, found: PlainEnd | undefined): void => {
    const { req, res } = call;
    contained(way.context, res, () => {
      // A body that has been read already stays: see `readBodyOfCall`.
      if (!found) return otherwise(body ? Object.assign(req, { body }) : req, res);
      if ('text' in found) return send(call, found);
      refuse({ ...call, path: call.found.address.path, carrier: found.refusedCarrier });
    });
  };
  const run = (call: PlainCall, body?: Buffer) => {
    const answer = unlessFault(() => answerOf(call, body));
    if (answer instanceof Promise) void answer.then((found) => end({ call, body }, found));
    else end({ call, body }, answer);
  };
  return (req, res) => {
    const call = plainCallOf(way, req, res);
    if (!call) return otherwise(req, res);
    containErrors(req, res, () => undefined);
    if (shortLengthOf(req) === 0) run(call);
    // The ordinary way knows what becomes of a call whose body never came.
    else readShortBody(req, (body) => (body ? run(call, body) : otherwise(req, res)));
  };
}
