import { isLoopbackHost } from '../../../shared/net/loopback.ts';
import type { FormEntry } from '../entries.ts';
import type { Visit } from '../visit.ts';

const MAX_URIS = 10;
const MAX_LENGTH = 2000;
/** The message about a bad line shows this number of characters of the line. */
const SHOWN = 80;

type Rule = [isBroken: (uri: string) => boolean, problem: string];

const parsed = (uri: string) => (URL.canParse(uri) ? new URL(uri) : undefined);

function isUnsafeHttp(uri: string): boolean {
  const url = parsed(uri);
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
}

const hasEmptyLabel = (uri: string) => /^https?:\/\/(?:\.|[^/?]*(?:\.\.|\.(?=[:/?]|$)))/i.test(uri);

/**
 * Browsers remove a dot segment, also when it is percent-encoded (WHATWG URL, path state). The address would not match.
 */
const hasDotSegment = (uri: string) => /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(uri);

/**
 * The order matters: the message names the first rule that a line breaks. RFC 6749 §3.1.2, RFC 8252 §7.3, RFC 9700
 * §2.1.
 */
const RULES: Rule[] = [
  [(uri) => uri.length > MAX_LENGTH, `is longer than ${MAX_LENGTH} characters`],
  // A space, a control character, a backslash, or a character that an address must encode.
  [(uri) => /[^!-~]|[\\<>"^`{|}]/.test(uri), 'contains a character that does not belong in an address'],
  [(uri) => !/^https?:\/\//i.test(uri), 'does not start with https:// (or http:// on this machine)'],
  [(uri) => uri.includes('#'), 'has a part after “#”, which is not allowed'],
  [(uri) => uri.includes('*'), 'contains “*”; each address has to be written out'],
  [(uri) => !parsed(uri), 'is not a complete address'],
  [(uri) => /^https?:\/\/[^/?]*@/i.test(uri), 'contains a user name or password'],
  [isUnsafeHttp, 'uses http; that is only allowed for localhost, 127.0.0.1 and [::1]'],
  // A host such as `http://2130706433/`: the parser writes this host in another way.
  [
    (uri) => !uri.toLowerCase().startsWith(parsed(uri)?.origin ?? ' '),
    'has a host that is written in an unusual way',
  ],
  [hasEmptyLabel, 'has a host with nothing before, between or after its dots'],
  [hasDotSegment, 'has a part “.” or “..” in its path; write the path without it'],
];

function problemOf(uri: string): string[] {
  const broken = RULES.find(([isBroken]) => isBroken(uri));
  const shown = uri.length > SHOWN ? `${uri.slice(0, SHOWN)}…` : uri;
  return broken ? [`“${shown}” ${broken[1]}.`] : [];
}

/**
 * The redirect URIs of the field `redirect_uris`: each line is an address, kept as typed. Repeated addresses are
 * dropped. The problem names every bad line.
 */
export function readRedirectUris({ form }: Visit): FormEntry<string[]> {
  const entered = form['redirect_uris'] ?? '';
  const lines = entered.split(/\r\n|\r|\n/).map((line) => line.trim());
  const value = [...new Set(lines.filter((line) => line !== ''))];
  if (value.length === 0) return { entered, problem: 'Enter at least one redirect URI.' };
  if (value.length > MAX_URIS)
    return { entered, problem: `These are ${value.length} redirect URIs; at most ${MAX_URIS} are allowed.` };
  const problems = value.flatMap(problemOf);
  return problems.length > 0 ? { entered, problem: problems.join('\n') } : { entered, value };
}
