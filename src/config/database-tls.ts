import { isLoopbackHost } from '../shared/loopback.ts';

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

/** Whether digests, mail addresses and the password would travel in the clear although nobody said that they may. */
export function isOpenDatabase(text: string | undefined): boolean {
  if (!text?.startsWith('postgres')) return false;
  const address = new URL(text);
  return !isOnThisMachine(address) && !DECIDED.includes(parameter(address, 'sslmode'));
}
