import type { Request } from 'express';
import { ANCHORS } from '../../domain/new-calls/call-pairs.ts';
import { oldCallOf } from '../../domain/old-calls/old-calls.ts';

/** Where answers of old calls lead to: the page on which each stands beside the new one. */

/** The address of the page for everybody. It stands on the wire and never changes. */
export const CALLS_PAGE = '/migrate/calls';

/** Behind the address of this service, one text for each call. */
const TARGETS = new Map(
  Object.entries(ANCHORS).map(([name, anchor]) => [
    name,
    `${CALLS_PAGE}#${anchor}>; rel="successor-version"; type="text/html"`,
  ]),
);

/** The value of `Link` for an address of one of the nineteen calls (RFC 5829); undefined for any other. */
export function successorLink(publicUrl: string, { baseUrl, path }: Request): string | undefined {
  const name = oldCallOf(baseUrl + path);
  const target = name && TARGETS.get(name);
  return target && `<${publicUrl}${target}`;
}
