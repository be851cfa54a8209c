import { type TraceContext, traceHeaders } from '../shared/trace/trace-context.ts';

/**
 * The headers of a call that go to the old API, and the headers of its answer that go back, in order and with their
 * case.
 */

interface OutgoingRequest {
  method: string;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  body: Buffer;
  trace?: TraceContext | undefined;
}

type HeaderPair = readonly [name: string, value: string];

/** Headers about one connection, not about the call (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/**
 * Headers about the origin of a call are not believed from callers, and the old API must not receive false ones: for
 * the old API the bridge is the client. The bridge has already answered `Expect`.
 */
const NOT_TOLD = new RegExp(
  `^(?:${[
    'forwarded|x-forwarded(?:-.*)?|x-real-ip|(?:.*-)?client-ip|cf-connecting-ip(?:v6)?|x-originating-ip',
    '(?:x-)?remote-(?:addr|ip|user)|x-host|x-original-.*|x-rewrite-url',
    'x-http-method(?:-override)?|x-method-override|expect',
  ].join('|')})$`,
);

/** The bridge writes these itself: a step of its own, in the trace of the call. Values that are not in order go nowhere. */
const OF_THE_TRACE = new Set(['traceparent', 'tracestate']);

/**
 * Servers that write a header's name as a variable cannot distinguish an underscore, or other characters, from a dash.
 */
const PLAIN_NAME = /^[a-z0-9-]+$/;

/** Browsers send a cookie without a name as its value alone, so the value may begin with a name. */
const OWN_COOKIE = /^[\s=]*(?:__Host-)?gb_/i;

/**
 * Headers that act for the whole origin, which does not belong to the old API: other paths, other answers, the way to
 * the host.
 */
const FOR_THE_ORIGIN = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
]);

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);

function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
}

function pairsWithoutHops(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs = pairsOf(rawHeaders);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.has(lower) && !lower.startsWith('proxy-');
  });
}

/**
 * The headers of an answer for the caller, names and values in turn. Leaves out headers of the connection, and headers
 * that would act beyond the answer, on the origin where the owners sign in.
 */
export function answeredHeaders(rawHeaders: readonly string[]): string[] {
  return pairsWithoutHops(rawHeaders)
    .filter(([name, value]) => {
      const lower = name.toLowerCase();
      return !FOR_THE_ORIGIN.has(lower) && !(lower === 'set-cookie' && OWN_COOKIE.test(value));
    })
    .flat();
}

/** Removes the bridge's own cookies, which a browser sends to every path. No other server may see them. */
function withoutOwnCookies([name, value]: HeaderPair): HeaderPair[] {
  if (name.toLowerCase() !== 'cookie') return [[name, value]];
  const kept = value.split(';').filter((cookie) => !OWN_COOKIE.test(cookie));
  return kept.length === 0 ? [] : [[name, kept.join(';').trim()]];
}

/**
 * Sets one value under a name, at the place and in the case of the first header of that name; undefined when there is
 * none.
 */
function withOne(pairs: readonly HeaderPair[], wanted: string, value: string): HeaderPair[] | undefined {
  const isWanted = ([name]: HeaderPair) => name.toLowerCase() === wanted;
  const first = pairs.findIndex(isWanted);
  if (first < 0) return undefined;
  return pairs.flatMap((pair, index): HeaderPair[] => {
    if (!isWanted(pair)) return [pair];
    return index === first ? [[pair[0], value]] : [];
  });
}

/** The bridge sets the length itself: a body that came in chunks has a length now. */
function framed(pairs: HeaderPair[], { method, body }: OutgoingRequest): HeaderPair[] {
  const length = String(body.length);
  const needsLength = body.length > 0 || BODY_METHODS.has(method);
  const added: HeaderPair[] = needsLength ? [['Content-Length', length]] : [];
  return withOne(pairs, 'content-length', length) ?? [...pairs, ...added];
}

const isTold = (name: string) => PLAIN_NAME.test(name) && !NOT_TOLD.test(name) && !OF_THE_TRACE.has(name);

/** The headers of a call for the old API at `host`, names and values in turn. */
export function forwardedHeaders(call: OutgoingRequest, host: string): string[] {
  const kept = pairsWithoutHops(call.rawHeaders)
    .filter(([name]) => isTold(name.toLowerCase()))
    .flatMap(withoutOwnCookies);
  const addressed = withOne(kept, 'host', host) ?? [['Host', host] as const, ...kept];
  return [...framed(addressed, call), ...Object.entries(traceHeaders(call.trace))].flat();
}
