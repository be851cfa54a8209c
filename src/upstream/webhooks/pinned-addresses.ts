import { getServers, promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { SECOND } from '../../shared/lifetimes.ts';
import { type AllowedNetworks, isPublicAddress } from '../../shared/net/public-addresses.ts';
import { WebhookNotTaken } from './failure.ts';

/**
 * The addresses of a webhook's host, looked up once. The connection goes to one of these and nowhere else, so a name that
 * leads elsewhere a moment later has no effect (DNS rebinding).
 */

/** A name server is asked for this long, twice. */
const ASKED_FOR = 1.5 * SECOND;

/** No host needs more. Each is tried in turn within the time of the whole attempt. */
const ADDRESSES_MAX = 4;

interface HostAddresses {
  addresses: string[];
  /** Whether the name servers answered. Where they did not, a name without an address may still have one. */
  isAnswered: boolean;
}

/** Whether a failure is the answer that there is no such name, or no address of this family. */
const isNo = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Asks the name servers directly. The way of the operating system takes one of four threads for as long as a name server is
 * silent, and whoever names a host may choose its name server too.
 */
async function lookUp(host: string, signal: AbortSignal): Promise<HostAddresses> {
  const resolver = new dns.Resolver({ timeout: ASKED_FOR, tries: 2 });
  resolver.setServers(getServers());
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.removeEventListener('abort', cancel);
  return {
    addresses: found.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    isAnswered: found.every((one) => one.status === 'fulfilled' || isNo(one.reason)),
  };
}

/** The host of an address without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** All addresses of a host; none of a name that cannot be looked up. */
async function addressesOf(url: URL, signal: AbortSignal): Promise<HostAddresses> {
  const host = hostOf(url);
  return isIP(host) === 0 ? lookUp(host, signal) : { addresses: [host], isAnswered: true };
}

interface Reach {
  allowed: AllowedNetworks;
  signal: AbortSignal;
}

function areGood(addresses: readonly string[], { allowed }: Pick<Reach, 'allowed'>): boolean {
  const isGood = (address: string) =>
    isPublicAddress(address) || allowed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return addresses.length > 0 && addresses.every(isGood);
}

/** Where a host leads; `no answer` where the name servers gave none. */
export async function whereTo(
  url: URL,
  reach: Reach,
): Promise<'public' | 'inside' | 'unknown' | 'no answer'> {
  const { addresses, isAnswered } = await addressesOf(url, reach.signal);
  if (addresses.length === 0) return isAnswered ? 'unknown' : 'no answer';
  return areGood(addresses, reach) ? 'public' : 'inside';
}

/**
 * The public or allowed addresses of a host. One address that is neither refuses the host as a whole. The refusal is the
 * same as for a name that nobody knows: whoever asks learns nothing of the names inside.
 * @throws {WebhookNotTaken}
 */
export async function pinnedAddresses(url: URL, reach: Reach): Promise<string[]> {
  const { addresses } = await addressesOf(url, reach.signal);
  if (!areGood(addresses, reach)) throw new WebhookNotTaken('the address does not lead to a public server');
  return addresses.slice(0, ADDRESSES_MAX);
}
