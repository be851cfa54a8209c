/**
 * Redaction at the sink (specification of logging in README; hardening findings 2 and 3): whatever a caller passes,
 * no credential leaves through a log line. Three nets: errors are reduced to a few safe fields, values under a
 * sensitive key are dropped, and token-shaped text is cut out of every remaining string.
 */

const SENSITIVE_KEY =
  /(token|secret|password|verifier|challenge|cookie|authorization|csrf|key)$|^(location|referer|code|state|body|config|request|response|headers)$/i;

const NAME =
  '(?:(?:access|refresh|id)_?token|token|client_?secret|secret|code_?verifier|verifier|password|code|state|_csrf|authorization|cookie)';
const QUOTE = String.raw`(?:%22|\\?["'])`;

/** `"name":"value"`, JSON-escaped or not: the value up to its closing quote, whatever stands in it. */
const QUOTED_PAIR = new RegExp(
  String.raw`(${NAME}${QUOTE}\s*(?:=|:|%3A)\s*(\\?["']|%22))(?:(?!\2).)+`,
  'gis',
);

/** `name=value` and `name: value`, in plain or URL-encoded form, brackets of a list included. */
const PLAIN_PAIR = new RegExp(
  String.raw`(${NAME}(?:\[\d*\]|%5B\d*%5D)?\s*(?:=|:|%3D|%3A)\s*)(?:(?:Bearer|OAuth|Basic)\s+)?[^\s&"'<>}]+`,
  'gi',
);

const BEARER = /(Bearer|OAuth|Basic)(\s|%20|\+)+[A-Za-z0-9+/=._~%-]{6,}/gi;

/** Legacy codes and tokens: `1/` and at least 20 letters or digits, raw, URL-encoded any number of times, or JSON-escaped. */
const LEGACY_VALUE = /1(?:\/|\\\/|%(?:25)*2F)[A-Za-z0-9]{20,}/gi;

/** Opaque values of 40 and more URL-safe characters: modern tokens, codes, verifiers, keys, session ids. */
const LONG_OPAQUE = /[A-Za-z0-9_-]{40,}/g;

const MASK = '[redacted]';

/** Cuts every token-shaped part out of a text. */
export function redactText(text: string): string {
  return text
    .replace(LEGACY_VALUE, MASK)
    .replace(QUOTED_PAIR, `$1${MASK}`)
    .replace(PLAIN_PAIR, `$1${MASK}`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(LONG_OPAQUE, MASK);
}

interface ReducedError {
  name: string;
  message: string;
  code?: string;
  status?: number;
  stack?: string;
  cause?: ReducedError;
}

/**
 * The loggable part of an error. axios hangs the request with its header and body on the error, body parsers hang the
 * raw body on it, so only these named fields are ever copied.
 */
export function reduceError(error: unknown, depth = 0): ReducedError {
  if (typeof error !== 'object' || error === null) {
    return { name: 'NonError', message: redactText(String(error)) };
  }
  const { name, message, code, status, stack, cause } = error as Record<string, unknown>;
  return {
    name: textOf(name) ?? 'Error',
    message: textOf(message) ?? '',
    ...defined('code', textOf(code)),
    ...defined('status', typeof status === 'number' ? status : undefined),
    ...defined('stack', textOf(stack)),
    ...defined('cause', cause === undefined || depth >= 3 ? undefined : reduceError(cause, depth + 1)),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? redactText(value) : undefined;
}

function defined(key: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [key]: value };
}

function isErrorLike(value: object): boolean {
  return 'stack' in value && 'message' in value;
}

/** A deep copy of a log value that is safe to write; bounded in depth so that a cyclic value cannot hang the sink. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (ArrayBuffer.isView(value)) return '[bytes]';
  if (isErrorLike(value)) return reduceError(value);
  if (depth > 5) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key),
      SENSITIVE_KEY.test(key) ? MASK : redactValue(item, depth + 1),
    ]),
  );
}
