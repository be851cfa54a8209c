import { isLoopbackHost } from '../../shared/net/loopback.ts';

/** The redirect URI that shows the code on a page instead of redirecting (docs/decisions/0013). */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

/**
 * Whether a redirect URI is a URN: a name and no address, so that no browser can go there. The answer for such an app
 * is shown on a page.
 */
export const isNoPlace = (redirectUri: string): boolean => /^urn:/i.test(redirectUri);

const LONGEST = 2000;

type Rule = [isBroken: (uri: string) => boolean, problem: string];

const parsed = (uri: string) => (URL.canParse(uri) ? new URL(uri) : undefined);

const HTTPS_ALONE = 'must be https, or http on this machine alone (localhost, 127.0.0.1 or [::1])';

function isUnsafeHttp(uri: string): boolean {
  const url = parsed(uri);
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
}

/**
 * A host that browsers read differently from its spelling: an address as one number, percent signs, a name with an
 * empty part.
 */
function hasOddHost(uri: string): boolean {
  const { origin, hostname } = new URL(uri);
  return !uri.toLowerCase().startsWith(origin) || /^\.|\.\.|\.$/.test(hostname);
}

/**
 * Browsers remove such a path segment, percent-encoded or not. The address would then match no more (WHATWG URL, path
 * state).
 */
const hasDotSegment = (uri: string) => /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(uri);

const ANSWERS = ['code', 'state', 'error', 'error_description', 'error_uri'];

/**
 * An app that reads the first of two parameters would take the parameter in its own address for the answer
 * (docs/threats.md U22).
 */
const namesAnswer = (uri: string) => ANSWERS.some((name) => parsed(uri)?.searchParams.has(name));

/** A person who passes such a code on gives the account away. Imported apps with this redirect URI keep it. */
const NO_CODE_ON_A_PAGE =
  'shows the code on a page, which people can be talked into passing on; use an address';

/** In this order; the first broken rule is reported (RFC 6749 §3.1.2, RFC 9700 §2.1, docs/threats.md U1 to U34). */
const RULES: Rule[] = [
  [(uri) => uri.length > LONGEST, `must not be longer than ${LONGEST} characters`],
  [
    (uri) => /[^!-~]|[\\<>"^`{|}]/.test(uri),
    'must be plain ASCII without spaces, backslashes, quotes or brackets, a host of other letters in its xn-- form',
  ],
  [(uri) => /%(?:[01][0-9a-f]|7f)/i.test(uri), 'must not contain a percent-encoded control character'],
  [(uri) => parsed(uri) === undefined, 'must be a whole address such as https://app.example.com/callback'],
  [(uri) => !/^https?:\/\//i.test(uri), HTTPS_ALONE],
  [(uri) => uri.includes('#'), 'must not contain a fragment, the part after #'],
  [(uri) => uri.includes('*'), 'must be written out, without *'],
  [(uri) => /^https?:\/\/[^/?]*@/i.test(uri), 'must not contain a user name or password'],
  [isUnsafeHttp, HTTPS_ALONE],
  [hasOddHost, 'must name its host in the usual way'],
  [hasDotSegment, 'must not contain a part . or .. in its path'],
  [namesAnswer, `must not contain a parameter that the answer adds: ${ANSWERS.join(', ')}`],
];

/**
 * Why a new callback may not be registered, in words for the owner; undefined when the callback may be registered. New
 * callbacks are https or loopback. An imported callback stays as it is and is only matched.
 */
export function callbackProblem(uri: string): string | undefined {
  if (uri === OUT_OF_BAND) return NO_CODE_ON_A_PAGE;
  return RULES.find(([isBroken]) => isBroken(uri))?.[1];
}
