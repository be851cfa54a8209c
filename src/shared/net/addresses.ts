import { isIPv6 } from 'node:net';

/** A port behind it, as some proxies write it; an address of version 6 stands in brackets then. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;

const partsOf = (text = ''): string[] => (text === '' ? [] : text.split(':'));

/** The eight groups of an address of version 6, in lower case without leading zeros. */
export function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const [before, behind] = [partsOf(head), partsOf(tail)];
  return [...before, ...Array<string>(8 - before.length - behind.length).fill('0'), ...behind];
}

/** Version 4 in dotted form out of the last two groups of a mapped address (RFC 4291 §2.5.5.2). */
function dotted(groups: readonly string[]): string {
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

interface Address {
  /** As it stands where it is no address of version 6. */
  bare: string;
  /** The eight groups of one of version 6. */
  groups?: string[];
}

/** Without a port or a zone; a mapped one is one of version 4. */
function parsed(address: string): Address {
  const [, bracketed, ported] = WITH_PORT.exec(address.trim()) ?? [];
  const bare = (bracketed ?? ported ?? address.trim()).replace(/%.*$/, '');
  if (!isIPv6(bare)) return { bare };
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? { bare: dotted(groups) } : { bare, groups };
}

/**
 * Under what an address is counted: without a port, one of version 4 in one spelling only, and one of version 6 by its /64,
 * for a single home has that many. What is no address is counted as it stands.
 */
export function addressKey(address: string): string {
  const { bare, groups } = parsed(address);
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : bare;
}

/** The network of an address, wider than one home or machine: /24 of version 4, /48 of version 6. */
export function networkKey(address: string): string {
  const { bare, groups } = parsed(address);
  if (groups) return `${groups.slice(0, 3).join(':')}::/48`;
  return /^\d+(?:\.\d+){3}$/.test(bare) ? `${bare.split('.').slice(0, 3).join('.')}.0/24` : bare.slice(0, 64);
}
