import { isIPv4, isIPv6 } from 'node:net';

/** The network that a call came from. An owner can tell two servers apart by the network, without the whole address. */

const MAPPED = /^::ffff:(?=\d+\.)/i;

const groupsOf = (part: string) => part.split(':').filter((group) => group !== '');

/** The first three groups of an IPv6 address, including groups that `::` stands for. */
function firstGroups(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const left = address.includes('::') ? 8 - before.length - after.length : 0;
  const zeros = Array.from({ length: Math.max(0, left) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16));
}

/** The network of an address, `203.0.113.0/24` or `2001:db8:12::/48`; `unknown` for any other text. */
export function networkOf(address: string | undefined): string {
  const [bare = ''] = (address ?? '').replace(MAPPED, '').split('%');
  if (isIPv4(bare)) return `${bare.slice(0, bare.lastIndexOf('.'))}.0/24`;
  return isIPv6(bare) ? `${firstGroups(bare).join(':')}::/48` : 'unknown';
}
