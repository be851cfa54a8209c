import { BlockList, isIP } from 'node:net';

/**
 * Which addresses are public, as the registries of IANA for special addresses say (RFC 6890). Whoever may name an
 * address to which this process connects must not reach what stands behind the firewall with it.
 */

/** Networks that an operator allows all the same. */
export type AllowedNetworks = Pick<BlockList, 'check'>;

type Network = readonly [address: string, prefix: number];

/** Every IPv4 network that is not for the use of all. */
const SPECIAL_IPV4: readonly Network[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by customers of a provider (CGNAT)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, with the metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // measurements
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/**
 * Global unicast. Outside of it are loopback, link-local, local, multicast and every form that holds an IPv4 address
 * (mapped, compatible, NAT64).
 */
const GLOBAL_IPV6: Network = ['2000::', 3];

/** What of global unicast is not for the use of all. */
const SPECIAL_IPV6: readonly Network[] = [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which holds an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

function listOf(networks: readonly Network[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of networks) list.addSubnet(address, prefix, family);
  return list;
}

const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

/** Whether anybody may be sent to this address. A text that is no address is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialIpv4.check(address, 'ipv4');
  if (isIP(address) !== 6) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

const NETWORK = /^([0-9a-f.:]+)\/(\d{1,3})$/i;

/** Reads networks such as 10.0.0.0/8; undefined where one of them is none. */
export function readNetworks(texts: readonly string[]): BlockList | undefined {
  const list = new BlockList();
  for (const text of texts) {
    const [, address = '', prefix = ''] = NETWORK.exec(text) ?? [];
    const version = isIP(address);
    if (version === 0 || Number(prefix) > (version === 6 ? 128 : 32)) return undefined;
    list.addSubnet(address, Number(prefix), version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
