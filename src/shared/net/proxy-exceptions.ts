import { BlockList, isIP } from 'node:net';

/** The entries of `NO_PROXY`: which hosts are reached without the proxy (docs/operate/settings.md). */

export interface Destination {
  host: string;
  port: number;
}

/** Whether an entry holds for a destination. */
export type ProxyException = (destination: Destination) => boolean;

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An address in any of its forms, or a network such as 10.0.0.0/8. */
function networkException(address: string, prefix: number | undefined): ProxyException | undefined {
  const family = familyOf(address);
  if (prefix !== undefined && prefix > (family === 'ipv6' ? 128 : 32)) return undefined;
  const network = new BlockList();
  if (prefix === undefined) network.addAddress(address, family);
  else network.addSubnet(address, prefix, family);
  return ({ host }) => isIP(host) !== 0 && network.check(host, familyOf(host));
}

/** A name stands for itself and for all below it, with a leading dot or star or without. */
const nameException =
  (name: string): ProxyException =>
  ({ host }) =>
    host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));

const NETWORK = /^([^/]+)\/(\d{1,3})$/;
const NAME = /^(?:\*?\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?$/;
const WITH_PORT = /^(.+?):(\d{1,5})$/;

function hostException(entry: string): ProxyException | undefined {
  const bare = entry.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return networkException(bare, undefined);
  const [, address = '', prefix] = NETWORK.exec(entry) ?? [];
  if (isIP(address) !== 0) return networkException(address, Number(prefix));
  const [, name] = NAME.exec(entry) ?? [];
  return name === undefined ? undefined : nameException(name);
}

/** Reads one entry; undefined where it is none. */
export function readProxyException(text: string): ProxyException | undefined {
  const entry = text.toLowerCase();
  if (entry === '*') return () => true;
  const whole = hostException(entry);
  if (whole) return whole;
  const [, host = '', port] = WITH_PORT.exec(entry) ?? [];
  const ofHost = hostException(host);
  if (!ofHost || Number(port) > 65_535) return undefined;
  return (destination) => destination.port === Number(port) && ofHost(destination);
}
