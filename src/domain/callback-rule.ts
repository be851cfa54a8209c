import { isLoopbackHost } from '../shared/loopback.ts';

/** The address that shows the code on a page instead of redirecting (design 5). */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

/**
 * Why a callback may not be registered anew, in words for its owner; undefined when it may. New registrations are https
 * or loopback; what was imported stays as it is and is only matched.
 */
export function callbackProblem(uri: string): string | undefined {
  if (uri === OUT_OF_BAND) return undefined;
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\'))
    return 'must be plain ASCII without spaces or backslashes';
  if (!URL.canParse(uri)) return 'must be a whole address such as https://app.example.com/callback';
  if (uri.includes('#')) return 'must not contain a fragment';
  return addressProblem(new URL(uri));
}

function addressProblem({ protocol, hostname, username, password }: URL): string | undefined {
  if (username || password) return 'must not contain a user name or password';
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return undefined;
  return 'must be https, or http on a loopback address';
}
