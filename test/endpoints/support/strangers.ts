import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';

/** Strangers with network addresses of their own, behind a proxy on this machine (`TRUST_PROXY: 127.0.0.1`). */

export const HTTPS = { 'x-forwarded-proto': 'https' };

let lastAddress = 0;

/** An address that nothing else comes from. */
export const someAddress = () => `10.9.${(lastAddress += 1) >> 8}.${lastAddress & 255}`;

/** A GET from an address. */
export function getFrom(
  bridgeUrl: string,
  { address = someAddress(), path, ...headers }: { address?: string; path: string; cookie?: string },
): Promise<RawAnswer> {
  return sendRaw(bridgeUrl, { path, headers: { ...HTTPS, 'x-forwarded-for': address, ...headers } });
}

/** A browser with an address of its own. */
export class Stranger extends CookieWalker {
  readonly #headers = { ...HTTPS, 'x-forwarded-for': someAddress() };
  override get(url: string): Promise<Page> {
    return super.get(url, this.#headers);
  }
  override post(url: string, fields: Record<string, string>): Promise<Page> {
    return super.post(url, fields, this.#headers);
  }
}
