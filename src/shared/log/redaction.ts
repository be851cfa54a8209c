/**
 * Redaction at the sink (docs/decisions/0020): no credential leaves through a log line, whatever a caller passes. Three
 * nets: errors are reduced to a few safe fields, values under a sensitive key are dropped, and token-shaped text is cut
 * out of every remaining string.
 */

const SENSITIVE_KEY =
  /(token|secret|password|verifier|challenge|cookie|authorization|csrf|key)(\[\w*\])?$|^(location|referer|code|state|body|config|request|response|headers)$/i;

const NAME =
  '(?:(?:access|refresh|id)_?token|token|client_?secret|secret|code_?verifier|verifier|password|code|state|_csrf|_form|authorization|cookie)';
/** Matches backslashes after any number of further JSON or URL encodings. */
const SLASHES = String.raw`(?:\\|%(?:25)*5C)*`;
const QUOTE = '(?:["\'`]|%(?:25)*22)';
const SIGN = '(?:=|:|%(?:25)*3[AD])';

/** Matches up to the opening quote of `"name":"value"` and `name: 'value'`, JSON-escaped or not. */
const QUOTED_START = new RegExp(
  String.raw`${NAME}(?:${SLASHES}${QUOTE})?\s*${SIGN}\s*(?:\[\s*)?(?<slashes>${SLASHES})(?<quote>${QUOTE})`,
  'gi',
);

const TRAILING_SLASHES = /(?:\\|%(?:25)*5C)*$/i;
const LONGEST_ESCAPE = 64;

/** Matches `name=value` and `name: value`, plain or URL-encoded, with or without list brackets. */
const PLAIN_PAIR = new RegExp(
  String.raw`(${NAME}(?:\[\d*\]|%5B\d*%5D)?\s*${SIGN}\s*)(?:(?:Bearer|OAuth|Basic)\s+)?[^\s&"<>}]+`,
  'gi',
);

/** A header with several pairs and arbitrary names. */
const COOKIE_LINE = /(cookie\s*:\s*)[^\r\n]+/gi;

const BEARER = /(Bearer|OAuth|Basic)(\s|%20|\+)+[A-Za-z0-9+/=._~%-]{6,}/gi;

/** User and password in an address: of a database, of a proxy. */
const USER_INFO = /(:(?:\/\/|\\\/\\\/))[^\s/"'\\]*@/g;

/**
 * The excerpt in an error of JSON.parse: up to ten characters on each side of the first wrong character. Matched from
 * the first quote only, because a match from every quote would scan the whole text each time.
 */
const JSON_EXCERPT = /^([^"]*?)(?:\.{3})?".*"(?:\.{3})? (?=is not valid JSON)/s;

/**
 * Old codes and tokens: `1/` and at least 20 letters or digits, raw, URL-encoded any number of times, or JSON-escaped.
 */
const LEGACY_VALUE = /1(?:\/|\\+\/|%(?:25)*2F)[A-Za-z0-9]{20,}/gi;

/** Opaque values of 40 and more URL-safe characters: tokens of the new API, codes, verifiers, keys, session ids. */
const LONG_OPAQUE = /(?:[A-Za-z0-9_-]|%[0-9A-F]{2}){40,}/gi;

/** The secret of a webhook, in Base64. */
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=_-]+/g;

/** An old code or token that lost its `1/` on the way. The longest id of ours has 24 characters. */
const BARE_VALUE = /[A-Za-z0-9]{32,}/g;

const MASK = '[redacted]';

/**
 * A trace id is as long as a secret (W3C Trace Context). One that a caller brought stands under this name alone, and was
 * compared with the credentials of its request (`src/http/request-trace.ts`).
 */
const isTraceId = (key: string, value: unknown) =>
  key === 'traceId' && typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);

/** The end of a quoted value: the next quote that is escaped no more often than the opening quote. */
function endOfQuoted(
  text: string,
  from: number,
  { slashes = '', quote = '"' }: Record<string, string>,
): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + quote.length)) {
    const before = text.slice(Math.max(from, at - LONGEST_ESCAPE), at);
    const escape = TRAILING_SLASHES.exec(before)?.[0] ?? '';
    if (escape.length <= slashes.length) return at - escape.length;
  }
  return text.length;
}

/** Cuts the value out of every quoted pair with a sensitive name, whatever the value holds. */
function redactQuoted(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(QUOTED_START)) {
    if (match.index < done) continue;
    const start = match.index + match[0].length;
    clean += text.slice(done, start) + MASK;
    done = endOfQuoted(text, start, match.groups ?? {});
  }
  return clean + text.slice(done);
}

/** Cuts every token-shaped part out of a text. */
export function redactText(text: string): string {
  const told = text.includes('is not valid JSON') ? text.replace(JSON_EXCERPT, `$1${MASK} `) : text;
  return redactQuoted(told.replace(LEGACY_VALUE, MASK))
    .replace(COOKIE_LINE, `$1${MASK}`)
    .replace(PLAIN_PAIR, `$1${MASK}`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(WEBHOOK_SECRET, MASK)
    .replace(LONG_OPAQUE, MASK)
    .replace(BARE_VALUE, MASK);
}

interface ReducedError {
  name: string;
  message: string;
  code?: string;
  status?: number;
  stack?: string;
  cause?: ReducedError;
}

/** Reads a property whose getter may throw, because a log line never throws. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}

/**
 * An error for people, whose message is shown unchanged. The message must consist of our own words: redaction would
 * take a form such as `postgres://USER:PASSWORD@HOST`, or a setting's name before a colon, for a secret. A value from
 * outside must go through `redactText` before it enters the message.
 */
export class PlainWords extends Error {
  override readonly name: string = 'PlainWords';
}

/**
 * The loggable part of an error. axios attaches the request with its header and body to the error, and body parsers
 * attach the raw body. So only these named fields are ever copied.
 */
export function reduceError(error: unknown, depth = 0): ReducedError {
  if (typeof error !== 'object' || error === null) {
    return { name: 'NonError', message: redactText(String(error)) };
  }
  const [status, cause] = [read(error, 'status'), read(error, 'cause')];
  return {
    name: textOf(read(error, 'name')) ?? 'Error',
    message: error instanceof PlainWords ? error.message : (textOf(read(error, 'message')) ?? ''),
    ...defined('code', textOf(read(error, 'code'))),
    ...defined('status', typeof status === 'number' ? status : undefined),
    ...defined('stack', textOf(read(error, 'stack'))),
    ...defined('cause', cause === undefined || depth >= 3 ? undefined : reduceError(cause, depth + 1)),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? redactText(value) : undefined;
}

function defined(key: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [key]: value };
}

/** Whether a value is an error, of any realm or library. */
export function isErrorLike(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value;
}

/** Whether a value is bytes, or the `toJSON` form of bytes. */
function isBytes(value: object): boolean {
  return (
    ArrayBuffer.isView(value) || (read(value, 'type') === 'Buffer' && Array.isArray(read(value, 'data')))
  );
}

/** A function is dropped. As `toJSON` of the copy, the function would be called and could return any value. */
function redactPrimitive(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'function') return undefined;
  return typeof value === 'bigint' ? String(value) : value;
}

function redactField(value: object, key: string, depth: number): unknown {
  if (SENSITIVE_KEY.test(key)) return MASK;
  const field = read(value, key);
  return isTraceId(key, field) ? field : redactValue(field, depth + 1);
}

/** A deep copy of a log value that is safe to write; bounded in depth so that a cyclic value cannot hang the sink. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return redactPrimitive(value);
  if (isBytes(value)) return '[bytes]';
  if (isErrorLike(value)) return reduceError(value);
  if (depth > 5) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.keys(value).map((key) => [redactText(key), redactField(value, key, depth)]),
  );
}
