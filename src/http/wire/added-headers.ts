import type { RequestHandler, Response } from 'express';
import type { WireDeps } from './deps.ts';
import { dateFor, type Lifecycle } from '../../domain/lifecycle/lifecycle.ts';
import { successorLink } from './successor-link.ts';
import { strictTransport, strictTransportOf } from './https.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';

/**
 * The one list of headers that the bridge adds to old answers (docs/decisions/0013). `Cache-Control` and `Pragma` come
 * from OAuth 2.0 draft 20 §5.1. The rest keeps an answer with personal data out of caches and frames. An answer of the
 * old API may be a page made from the call, on the origin of the owners' session: browsers run and load nothing of such
 * a page. Further headers are the dates, a `Link` from the address of a known call to its successor, and over HTTPS
 * `Strict-Transport-Security`, and `X-Request-Id` (`http/request-id.ts`), where the old API has not set one. `Connection: close` (RFC 9112 §9.6) is not in this list: every answer has that header
 * once the process was asked to stop (`http/connections.ts`). It is about the connection, not about the answer.
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

interface DateHeadersInput {
  publicUrl: string;
  /** The value of `Link` for the address, which does not depend on the dates. */
  successor: string | undefined;
  clientId?: string | undefined;
  /** Whether the answer is the answer of the sunset, because of its date or of a brownout. */
  isSunset?: boolean;
}

/** The sunset for an app, but never before the deprecation (RFC 9745 §4). */
function sunsetOf(lifecycle: Lifecycle, clientId: string | undefined): number | undefined {
  const { deprecation = 0 } = lifecycle.dates;
  const at = dateFor(lifecycle, 'sunset', clientId);
  return at === undefined ? undefined : Math.max(at, deprecation);
}

/** Links to the page about the dates, and to the same dates for programs (`service-meta`, RFC 8631 §4.3). */
function linksTo(publicUrl: string, relations: readonly string[]): string {
  const page = relations.map((name) => `<${publicUrl}/lifecycle>; rel="${name}"; type="text/html"`);
  return [...page, `<${publicUrl}/lifecycle.json>; rel="service-meta"; type="application/json"`].join(', ');
}

/** The dates that are set: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, in whole seconds. */
function dateHeaders(
  lifecycle: Lifecycle,
  { publicUrl, successor, clientId, isSunset = false }: DateHeadersInput,
) {
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

/** Whether the dates of an app are those of all apps. */
export const hasCommonDates = ({ extensions }: Lifecycle, clientId: string | undefined) =>
  clientId === undefined || !extensions.has(clientId);

/** Sets the dates of an app, once the app of the call is known: an app may have an extension. */
export function tellDates(
  { lifecycle, settings }: WireDeps,
  res: Response,
  told: Omit<DateHeadersInput, 'publicUrl' | 'successor'>,
): void {
  const known = lifecycle.current();
  const { clientId, isSunset = false } = told;
  // Every answer already has the dates that are the same for all apps.
  if (!isSunset && hasCommonDates(known, clientId)) return;
  const { publicUrl } = settings;
  const successor = successorLink(publicUrl, res.req);
  res.setHeaders(dateHeaders(known, { publicUrl, successor, ...told }));
}

/** The headers with dates. */
const DATE_HEADERS = ['deprecation', 'sunset'];

/**
 * The headers of an old API's answer to leave out, in lower case: every header that the bridge has set itself. If the
 * bridge tells dates, then the dates and links of the old API are left out too. If not, the links of the old API follow
 * the link of the bridge.
 */
export function ownHeaders(res: Response): Set<string> {
  const own = new Set(res.getHeaderNames());
  if (DATE_HEADERS.some((name) => own.has(name))) return new Set([...own, ...DATE_HEADERS, 'link']);
  own.delete('link');
  return own;
}

/** The headers that are the same for all apps, by the successor of the call, for as long as the dates stay. */
function createCommonHeaders({ lifecycle, settings }: WireDeps) {
  const { publicUrl } = settings;
  let told: Lifecycle | undefined;
  const kept = new Map<string | undefined, Map<string, string>>();
  return (successor: string | undefined): Map<string, string> => {
    const known = lifecycle.current();
    if (known !== told) kept.clear();
    told = known;
    const headers =
      kept.get(successor) ??
      new Map([...Object.entries(ADDED_HEADERS), ...dateHeaders(known, { publicUrl, successor })]);
    kept.set(successor, headers);
    return headers;
  };
}

/** The names and values of all added headers but the id of the request, in one list for as long as the dates stay. */
export function createAddedLines(context: WireDeps) {
  const commonFor = createCommonHeaders(context);
  const overHttps = strictTransportOf(context.settings.publicUrl);
  const kept = new WeakMap<ReadonlyMap<string, string>, Record<'plain' | 'secure', string[]>>();
  const linesOf = (common: ReadonlyMap<string, string>) => {
    const plain = [...common].flat();
    return { plain, secure: [...plain, ...[...overHttps].flat()] };
  };
  return (successor: string | undefined, isSecure: boolean): string[] => {
    const common = commonFor(successor);
    const lines = madeOnce(kept, common, () => linesOf(common));
    return isSecure ? lines.secure : lines.plain;
  };
}

/** Sets the added headers on every old answer, errors included. */
export function createAddedHeaders(context: WireDeps): RequestHandler {
  const { publicUrl } = context.settings;
  const tellHttps = strictTransport(publicUrl);
  const commonFor = createCommonHeaders(context);
  return (req, res, next) => {
    res.setHeaders(commonFor(successorLink(publicUrl, req)));
    tellHttps(req, res, next);
  };
}
