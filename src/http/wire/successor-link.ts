import type { Request } from 'express';
import { ANCHORS } from '../../domain/new-calls/call-pairs.ts';
import { oldCallOf } from '../../domain/old-calls/old-calls.ts';

/** The `Link` of old answers to the page that shows each old call beside the new call. */

/** The path of the public page. Old answers contain this path, so it never changes. */
export const CALLS_PAGE = '/migrate/calls';

/** One text for each call, to be appended to the address of this service. */
const TARGETS = new Map(
  Object.entries(ANCHORS).map(([name, anchor]) => [
    name,
    `${CALLS_PAGE}#${anchor}>; rel="successor-version"; type="text/html"`,
  ]),
);

/** The value of `Link` for an address of one of the nineteen calls (RFC 5829); undefined for other addresses. */
export function successorLink(
  publicUrl: string,
  { baseUrl, path }: Pick<Request, 'baseUrl' | 'path'>,
): string | undefined {
  const name = oldCallOf(baseUrl + path);
  const target = name && TARGETS.get(name);
  return target && `<${publicUrl}${target}`;
}
