/** What of a call's headers goes on to the old backend, and of its answer's back, in their order and case. */

interface Outgoing {
  method: string;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  body: Buffer;
}

type Pair = readonly [name: string, value: string];

/** Those that are about one connection, not about the call (RFC 9110 §7.6.1). */
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
 * What says whence a call came is not believed from callers, and the old backend must not be lied to: to it the bridge is
 * the client. `Expect` was answered here already.
 */
const NOT_TOLD = new RegExp(
  `^(?:${[
    'forwarded|x-forwarded(?:-.*)?|x-real-ip|(?:.*-)?client-ip|cf-connecting-ip(?:v6)?|x-originating-ip',
    '(?:x-)?remote-(?:addr|ip|user)|x-host|x-original-.*|x-rewrite-url',
    'x-http-method(?:-override)?|x-method-override|expect',
  ].join('|')})$`,
);

/** Servers that write a header's name as a variable cannot tell an underscore, or worse, from a dash. */
const PLAIN_NAME = /^[a-z0-9-]+$/;

/** Browsers send a cookie without a name as its value alone, so that a name may stand there. */
const OWN_COOKIE = /^[\s=]*(?:__Host-)?gb_/i;

/** What acts for the whole origin, which is not the old backend's: other paths, other answers, the way to the host. */
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

function pairsOf(rawHeaders: readonly string[]): Pair[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
  );
}

function pairsWithoutHops(rawHeaders: readonly string[]): Pair[] {
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
 * The headers of an answer for the caller, names and values in turn: without those of the connection, and without those
 * that would act beyond the answer on the origin that the owners sign in at.
 */
export function answeredHeaders(rawHeaders: readonly string[]): string[] {
  return pairsWithoutHops(rawHeaders)
    .filter(([name, value]) => {
      const lower = name.toLowerCase();
      return !FOR_THE_ORIGIN.has(lower) && !(lower === 'set-cookie' && OWN_COOKIE.test(value));
    })
    .flat();
}

/** The bridge's own cookies are for nobody else: a browser sends them to every path. */
function withoutOwnCookies([name, value]: Pair): Pair[] {
  if (name.toLowerCase() !== 'cookie') return [[name, value]];
  const kept = value.split(';').filter((cookie) => !OWN_COOKIE.test(cookie));
  return kept.length === 0 ? [] : [[name, kept.join(';').trim()]];
}

/** One value under a name, where its first one stood and in the same case; undefined where there was none. */
function withOne(pairs: readonly Pair[], wanted: string, value: string): Pair[] | undefined {
  const isWanted = ([name]: Pair) => name.toLowerCase() === wanted;
  const first = pairs.findIndex(isWanted);
  if (first < 0) return undefined;
  return pairs.flatMap((pair, index): Pair[] => {
    if (!isWanted(pair)) return [pair];
    return index === first ? [[pair[0], value]] : [];
  });
}

/** The framing is our own: a body that came in chunks has a length now. */
function framed(pairs: Pair[], { method, body }: Outgoing): Pair[] {
  const length = String(body.length);
  const needsLength = body.length > 0 || BODY_METHODS.has(method);
  const added: Pair[] = needsLength ? [['Content-Length', length]] : [];
  return withOne(pairs, 'content-length', length) ?? [...pairs, ...added];
}

/** The headers of a call for the old backend at `host`, names and values in turn. */
export function forwardedHeaders(call: Outgoing, host: string): string[] {
  const kept = pairsWithoutHops(call.rawHeaders)
    .filter(([name]) => PLAIN_NAME.test(name.toLowerCase()) && !NOT_TOLD.test(name.toLowerCase()))
    .flatMap(withoutOwnCookies);
  const addressed = withOne(kept, 'host', host) ?? [['Host', host] as const, ...kept];
  return framed(addressed, call).flat();
}
