import { isLoopbackHost } from '../shared/net/loopback.ts';

/** Whether the way to a PostgreSQL server is protected, or is said not to need it. */

/** With each of these the driver connects over TLS or not at all. */
const WITH_TLS = ['require', 'verify-ca', 'verify-full', 'no-verify'];

/** `prefer` and `allow` are not among them: what they do depends on the server. */
const DECIDED = [...WITH_TLS, 'disable'];

/** As the driver reads a repeated parameter: the last one counts. */
const parameter = (address: URL, name: string) => address.searchParams.getAll(name).at(-1) ?? '';

/** A parameter wins over the host before the path; a path in the file system is a socket of this machine. */
function isOnThisMachine(address: URL): boolean {
  const host = parameter(address, 'host') || decodeURIComponent(address.hostname);
  return host === '' || host.startsWith('/') || isLoopbackHost(host);
}

const CHOICES =
  'verify-full (and sslrootcert=FILE for an authority of your own), or sslmode=disable where the network itself is protected';

/** What is wrong with the parameter that stands there, or with that there is none. */
function modeProblem(mode: string): string {
  if (mode === '') return `a PostgreSQL server elsewhere must be reached over TLS: add sslmode=${CHOICES}`;
  if (mode === 'prefer' || mode === 'allow')
    return `sslmode=${mode} leaves the choice to the server; use ${CHOICES}`;
  // Whatever else stands there may have slipped in from another part of the address.
  const name = /^[a-z-]{1,20}$/i.test(mode) ? `sslmode=${mode}` : 'this sslmode';
  return `${name} is not known; use ${CHOICES}`;
}

/**
 * Why digests, mail addresses and the password would travel in the clear although nobody said that they may; undefined
 * where they would not.
 */
export function openDatabaseProblem(text: string | undefined): string | undefined {
  if (!text?.startsWith('postgres')) return undefined;
  const address = new URL(text);
  const mode = parameter(address, 'sslmode');
  if (DECIDED.includes(mode)) return undefined;
  // On this machine every known word will do, but a word that nobody knows is a slip of the pen.
  const isLeft = ['', 'prefer', 'allow'].includes(mode);
  return isOnThisMachine(address) && isLeft ? undefined : modeProblem(mode);
}
