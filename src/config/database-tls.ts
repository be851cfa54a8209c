import { isLoopbackHost } from '../shared/net/loopback.ts';

/** Whether the connection to a PostgreSQL server is protected, or the settings say that it needs no protection. */

/** With each of these modes the driver connects over TLS or not at all. */
const WITH_TLS = ['require', 'verify-ca', 'verify-full', 'no-verify'];

/** `prefer` and `allow` are left out: whoever writes them expects the choice to be the server's. */
const DECIDED = [...WITH_TLS, 'disable'];

/** The driver reads a repeated parameter like this: the last one counts. */
const parameter = (address: URL, name: string) => address.searchParams.getAll(name).at(-1) ?? '';

/** The parameter `host` wins over the host before the path. A host that is a file path is a socket of this machine. */
function isOnThisMachine(address: URL): boolean {
  const host = parameter(address, 'host') || decodeURIComponent(address.hostname);
  return host === '' || host.startsWith('/') || isLoopbackHost(host);
}

const CHOICES =
  'verify-full (and sslrootcert=FILE for an authority of your own), or sslmode=disable where the network itself is protected';

/** What is wrong with the given mode, or with the absence of a mode. */
function modeProblem(mode: string): string {
  if (mode === '')
    return `the bridge must reach a PostgreSQL server on another machine over TLS: add sslmode=${CHOICES}`;
  if (mode === 'prefer' || mode === 'allow')
    return `sslmode=${mode} leaves the choice to the server; use ${CHOICES}`;
  // An unknown text may have slipped in from another part of the address, so only a harmless text is quoted.
  const name = /^[a-z-]{1,20}$/i.test(mode) ? `sslmode=${mode}` : 'this sslmode';
  return `${name} is not known; use ${CHOICES}`;
}

/**
 * Why digests, mail addresses and the password would travel unencrypted without an explicit choice; undefined where the
 * connection is protected or the choice is made.
 */
export function openDatabaseProblem(text: string | undefined): string | undefined {
  if (!text?.startsWith('postgres')) return undefined;
  const address = new URL(text);
  const mode = parameter(address, 'sslmode');
  if (DECIDED.includes(mode)) return undefined;
  // On this machine any known mode will do. An unknown mode is a mistake.
  const isLeft = ['', 'prefer', 'allow'].includes(mode);
  return isOnThisMachine(address) && isLeft ? undefined : modeProblem(mode);
}
