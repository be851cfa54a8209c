import { type Form, formsOf } from './html-forms.ts';

export interface Page {
  url: string;
  status: number;
  headers: Headers;
  body: string;
  /** The Location header byte for byte, as a client that parses it by hand would see it. */
  location: string | undefined;
}

interface Sending {
  method: string;
  headers: Record<string, string>;
  body?: URLSearchParams;
}

/** A proxy that ends TLS for a public address and passes plain calls on to the bridge's own. */
export interface TlsProxy {
  publicUrl: string;
  bridgeUrl: string;
  /** What it adds beside the scheme. */
  headers?: Record<string, string>;
}

/** What such a proxy adds. */
export const HTTPS_OUTSIDE = { 'x-forwarded-proto': 'https' };

function behindProxy(url: string, { publicUrl, bridgeUrl }: TlsProxy): string {
  return bridgeUrl + url.slice(publicUrl.length);
}

interface Cookie {
  host: string;
  path: string;
  name: string;
  value: string;
}

function covers(cookie: Cookie, url: URL): boolean {
  const inPath = url.pathname === cookie.path || url.pathname.startsWith(cookie.path.replace(/\/?$/, '/'));
  return cookie.host === url.hostname && inPath;
}

/** RFC 6265 §5.1.4: without a Path the folder of the address that set the cookie. */
function defaultPath(url: URL): string {
  return url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf('/')));
}

/**
 * A small browser: it keeps cookies and shows every redirect to its caller. Like real browsers it keeps cookies per
 * host name and not per port, so two servers on one host that use the same cookie name disturb each other here too.
 */
export class CookieWalker {
  #cookies: Cookie[] = [];
  readonly #proxy: TlsProxy | undefined;

  constructor(proxy?: TlsProxy) {
    this.#proxy = proxy;
  }

  /** Every value that it was ever given, also those that were taken back. */
  readonly received: Array<{ name: string; value: string }> = [];

  async get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(url, { method: 'GET', headers });
  }

  async post(
    url: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.#send(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
  }

  async submit(form: Form, values: Record<string, string>, referer?: string): Promise<Page> {
    const headers = { origin: new URL(referer ?? form.action).origin, ...(referer && { referer }) };
    if (form.method === 'post') return this.post(form.action, values, headers);
    return this.get(`${form.action.split('?')[0]}?${new URLSearchParams(values).toString()}`, headers);
  }

  forms(page: Page): Form[] {
    return formsOf(page.body, page.url);
  }

  /** Goes from redirect to redirect; stops at a page, or before an address that starts with `prefix`. */
  async follow(page: Page, prefix?: string): Promise<Page> {
    let here = page;
    for (let step = 0; here.location !== undefined && step < 20; step++) {
      const next = new URL(here.location, here.url).href;
      if (prefix !== undefined && here.location.startsWith(prefix)) return here;
      here = await this.get(next);
    }
    return here;
  }

  /** What it would send to an address. */
  cookieHeader(url: string): string {
    const sent = this.#cookies.filter((cookie) => covers(cookie, new URL(url)));
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  async #send(url: string, init: Sending): Promise<Page> {
    const cookie = this.cookieHeader(url);
    // Each on a connection of its own: a kept one may be closing just now, after five seconds in which nothing came.
    const headers = { accept: 'text/html,*/*;q=0.8', connection: 'close', ...init.headers };
    const proxy = url.startsWith(`${this.#proxy?.publicUrl}/`) ? this.#proxy : undefined;
    const response = await fetch(proxy ? behindProxy(url, proxy) : url, {
      ...init,
      redirect: 'manual',
      headers: {
        ...headers,
        ...(cookie !== '' && { cookie }),
        ...(proxy && { ...HTTPS_OUTSIDE, ...proxy.headers }),
      },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line, new URL(url));
    return {
      url,
      status: response.status,
      headers: response.headers,
      body: await response.text(),
      location: response.headers.get('location') ?? undefined,
    };
  }

  #keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const settings = new Map(
      attributes
        .map((attribute) => attribute.split('='))
        .map(([key = '', text]) => [key.toLowerCase(), text]),
    );
    const [name = '', ...value] = pair.split('=');
    this.received.push({ name, value: value.join('=') });
    const cookie = {
      host: url.hostname,
      path: settings.get('path') ?? defaultPath(url),
      name,
      value: value.join('='),
    };
    this.#cookies = this.#cookies.filter(
      (known) => known.name !== name || known.path !== cookie.path || known.host !== cookie.host,
    );
    const expired =
      Date.parse(settings.get('expires') ?? '') <= Date.now() || Number(settings.get('max-age') ?? 1) <= 0;
    if (!expired) this.#cookies.push(cookie);
  }
}
