import type { RequestHandler, Response } from 'express';
import type { Context } from '../../domain/context.ts';
import { dateFor, type Lifecycle } from '../../domain/lifecycle/lifecycle.ts';
import { successorLink } from './successor-link.ts';
import { strictTransport } from './https.ts';

/**
 * The one list of headers that the bridge adds to what the old service sent (docs/decisions/0013). `Cache-Control` and
 * `Pragma` are those of OAuth 2.0 draft 20 §5.1; the rest keeps an answer with personal data out of caches and frames.
 * What the old backend answers may be a page made of the call, on the origin of the owners' session: no browser runs or
 * loads anything of it. Beside these stand the dates; at the address of a known call a `Link` to what takes the place
 * of the call; and over HTTPS `Strict-Transport-Security`. One more header is not of this list: `Connection: close`
 * (RFC 9112 §9.6), which every answer says once the process was asked to stop (`http/connections.ts`). It is about the
 * connection and no part of the answer.
 */
const ADDED_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  Pragma: 'no-cache',
  Vary: 'Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
};

interface Telling {
  publicUrl: string;
  /** The value of `Link` that the address has whatever the dates are. */
  successor: string | undefined;
  clientId?: string | undefined;
  /** The answer is that of the sunset, be its date set or only rehearsed. */
  isSunset?: boolean;
}

/** Never before the deprecation (RFC 9745 §4), whatever the dates say. */
function sunsetOf(lifecycle: Lifecycle, clientId: string | undefined): number | undefined {
  const { deprecation = 0 } = lifecycle.dates;
  const at = dateFor(lifecycle, 'sunset', clientId);
  return at === undefined ? undefined : Math.max(at, deprecation);
}

/** Where people read about the dates, and machines (`service-meta`, RFC 8631 §4.3). */
function linksTo(publicUrl: string, relations: readonly string[]): string {
  const page = relations.map((name) => `<${publicUrl}/lifecycle>; rel="${name}"; type="text/html"`);
  return [...page, `<${publicUrl}/lifecycle.json>; rel="service-meta"; type="application/json"`].join(', ');
}

/** The dates that are set: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, in whole seconds. */
function dateHeaders(lifecycle: Lifecycle, { publicUrl, successor, clientId, isSunset = false }: Telling) {
  const { deprecation } = lifecycle.dates;
  const sunset = sunsetOf(lifecycle, clientId);
  const headers = new Map<string, string>();
  if (deprecation !== undefined) headers.set('Deprecation', `@${Math.floor(deprecation / 1000)}`);
  if (sunset !== undefined) headers.set('Sunset', new Date(sunset).toUTCString());
  const relations = [
    ...(deprecation === undefined ? [] : ['deprecation']),
    ...(sunset === undefined && !isSunset ? [] : ['sunset']),
  ];
  const links = [
    ...(relations.length > 0 ? [linksTo(publicUrl, relations)] : []),
    ...(successor === undefined ? [] : [successor]),
  ];
  if (links.length > 0) headers.set('Link', links.join(', '));
  return headers;
}

/** Tells the dates as they are for an app, once it is known which one calls: it may have been given more time. */
export function tellDates(
  { lifecycle, settings }: Context,
  res: Response,
  told: Omit<Telling, 'publicUrl' | 'successor'>,
): void {
  const known = lifecycle.current();
  const { clientId, isSunset = false } = told;
  // Every answer tells what is the same for all.
  if (!isSunset && clientId !== undefined && !known.extensions.has(clientId)) return;
  const { publicUrl } = settings;
  const successor = successorLink(publicUrl, res.req);
  res.setHeaders(dateHeaders(known, { publicUrl, successor, ...told }));
}

/** The headers by which an answer tells dates. */
const DATE_HEADERS = ['deprecation', 'sunset'];

/**
 * Which headers of an answer of the old backend are left out, in lower case: those that the bridge has set itself. Where it
 * tells dates, those of the old backend do not stand beside them; else links of the old backend follow the bridge's own.
 */
export function ownHeaders(res: Response): Set<string> {
  const own = new Set(res.getHeaderNames());
  if (DATE_HEADERS.some((name) => own.has(name))) return new Set([...own, ...DATE_HEADERS, 'link']);
  own.delete('link');
  return own;
}

/** Sets the added headers on every old answer, errors included. */
export function createAddedHeaders(context: Context): RequestHandler {
  const tellHttps = strictTransport(context.settings.publicUrl);
  return (req, res, next) => {
    for (const [name, value] of Object.entries(ADDED_HEADERS)) res.setHeader(name, value);
    tellDates(context, res, {});
    tellHttps(req, res, next);
  };
}
