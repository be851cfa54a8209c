import { isIPv6 } from 'node:net';

/** An address with a port, as some proxies write it. An IPv6 address is then in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;

const partsOf = (text = ''): string[] => (text === '' ? [] : text.split(':'));

/** The eight groups of an IPv6 address, in lower case without leading zeros. */
export function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [before, behind] = [partsOf(head), partsOf(tail)];
  return [...before, ...Array<string>(8 - before.length - behind.length).fill('0'), ...behind];
}

/** The dotted IPv4 address from the last two groups of a mapped address (RFC 4291 §2.5.5.2). */
function dotted(groups: readonly string[]): string {
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

interface Address {
  /** The address without port and zone; for IPv6 as written. */
  bare: string;
  /** The eight groups of an IPv6 address; unset for IPv4 and for a text that is no address. */
  groups?: string[];
}

/** Without a port or a zone. A mapped address is an IPv4 address. */
function parsed(address: string): Address {
  const [, bracketed, ported] = WITH_PORT.exec(address.trim()) ?? [];
  const bare = (bracketed ?? ported ?? address.trim()).replace(/%.*$/, '');
  if (!isIPv6(bare)) return { bare };
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? { bare: dotted(groups) } : { bare, groups };
}

/**
 * The key for counting an address: without a port, IPv4 in one spelling only, and IPv6 by its /64, because a single
 * home has that many addresses. A text that is no address is its own key.
 */
export function addressKey(address: string): string {
  const { bare, groups } = parsed(address);
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : bare;
}

/** The network of an address, wider than one home or machine: /24 for IPv4, /48 for IPv6. */
export function networkKey(address: string): string {
  const { bare, groups } = parsed(address);
  if (groups) return `${groups.slice(0, 3).join(':')}::/48`;
  return /^\d+(?:\.\d+){3}$/.test(bare) ? `${bare.split('.').slice(0, 3).join('.')}.0/24` : bare.slice(0, 64);
}

/**
 * The key for counting what one sender must not do without end. Version 6 addresses count by their /48: the owner of a /48
 * has 65,536 networks of the size of a home network.
 */
export function senderOf(address: string): string {
  const network = networkKey(address);
  return network.endsWith('/48') ? network : addressKey(address);
}
