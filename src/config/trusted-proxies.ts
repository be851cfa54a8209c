import { isIPv4 } from 'node:net';
import { groupsOf } from '../shared/net/addresses.ts';

/**
 * How much of the internet a list of proxies trusts. The bridge believes a trusted address about HTTPS and about the
 * origin of a call. Version 4 addresses are counted as the version 6 addresses to which they are mapped (RFC 4291
 * §2.5.5.2), because the proxy check compares addresses in this form.
 */

/** From the first address up to the last address, without the last one. */
interface AddressRange {
  from: bigint;
  to: bigint;
}

const ofSize = (from: bigint, hostBits: number): AddressRange => ({
  from,
  to: from + (1n << BigInt(hostBits)),
});

const VERSION_4 = ofSize(0xffffn << 32n, 32);

/** Unique local and link-local addresses (RFC 4193, RFC 4291 §2.5.6): no host outside has one. */
const PRIVATE_VERSION_6 = [ofSize(0xfcn << 120n, 121), ofSize(0xfe8n << 116n, 118)];

/** A whole /8 of version 4, and a whole /16 of version 6: more than any operator of proxies has. */
const WIDEST = { version4: 1n << 24n, version6: 1n << 112n };

function numberOf(address: string): bigint {
  if (isIPv4(address)) return VERSION_4.from + BigInt(`0x${hexOf(address.split('.').map(Number))}`);
  return BigInt(
    `0x${groupsOf(address)
      .map((group) => group.padStart(4, '0'))
      .join('')}`,
  );
}

const hexOf = (bytes: number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The block of an address or a network. The network names that express knows are private and small. */
function blocksOf(range: string): AddressRange[] {
  const [given = '', bits] = range.split('/', 2);
  const host = given.replace(/%.*$/, '');
  if (!/[.:]/.test(host)) return [];
  const width = isIPv4(host) ? 32 : 128;
  const hostBits = width - Number(bits ?? width);
  return [ofSize((numberOf(host) >> BigInt(hostBits)) << BigInt(hostBits), hostBits)];
}

/** Merges blocks that overlap or lie side by side. */
function joined(blocks: readonly AddressRange[]): AddressRange[] {
  const inOrder = blocks.toSorted((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
  const result: AddressRange[] = [];
  for (const block of inOrder) {
    const last = result.at(-1);
    if (!last || block.from > last.to) result.push({ ...block });
    else if (block.to > last.to) last.to = block.to;
  }
  return result;
}

/** How many addresses two blocks have in common. */
function shared(a: AddressRange, b: AddressRange): bigint {
  const from = a.from > b.from ? a.from : b.from;
  const to = a.to < b.to ? a.to : b.to;
  return to > from ? to - from : 0n;
}

function isTooWide(block: AddressRange): boolean {
  const size = block.to - block.from;
  const isPrivate = PRIVATE_VERSION_6.some((known) => shared(block, known) === size);
  return shared(block, VERSION_4) > WIDEST.version4 || (size > WIDEST.version6 && !isPrivate);
}

/** Whether the ranges, each or merged with its neighbours, cover more addresses than an operator's proxies can have. */
export function trustsTooMany(ranges: readonly string[]): boolean {
  return joined(ranges.flatMap(blocksOf)).some(isTooWide);
}
