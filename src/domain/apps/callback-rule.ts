import { isLoopbackHost } from '../../shared/net/loopback.ts';

/** The address that shows the code on a page instead of redirecting (docs/decisions/0013). */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

/**
 * Whether no browser goes to an address that an app has: a URN names a thing and no place. What such an app is told stands
 * on a page.
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

/** A host that is written unlike it is read: an address as one number, percent signs, a name with an empty part. */
function hasOddHost(uri: string): boolean {
  const { origin, hostname } = new URL(uri);
  return !uri.toLowerCase().startsWith(origin) || /^\.|\.\.|\.$/.test(hostname);
}

/** Browsers take such a part out, percent-encoded or not, and the address would match no more (WHATWG URL, path state). */
const hasDotSegment = (uri: string) => /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(uri);

const ANSWERS = ['code', 'state', 'error', 'error_description', 'error_uri'];

/**
 * An app that reads the first of two would take what stands in its own address for the answer (docs/threats.md U22).
 */
const namesAnswer = (uri: string) => ANSWERS.some((name) => parsed(uri)?.searchParams.has(name));

/** Whoever passes such a code on gives the account away. Apps that were imported with this address keep it. */
const NO_CODE_ON_A_PAGE =
  'shows the code on a page, which people can be talked into passing on; use an address';

/** In this order; the first that is broken is told (RFC 6749 §3.1.2, RFC 9700 §2.1, docs/threats.md U1 to U34). */
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
 * Why a callback may not be registered anew, in words for its owner; undefined when it may. New registrations are https
 * or loopback; what was imported stays as it is and is only matched.
 */
export function callbackProblem(uri: string): string | undefined {
  if (uri === OUT_OF_BAND) return NO_CODE_ON_A_PAGE;
  return RULES.find(([isBroken]) => isBroken(uri))?.[1];
}
