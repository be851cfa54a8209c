import { parseItem } from 'structured-headers';
import type { RawAnswer } from '../../support/callers/raw-request.ts';

/** What an answer says of dates, read by a parser of somebody else. */

export interface Told {
  deprecation: number | undefined;
  sunset: number | undefined;
  /** By relation. */
  links: Record<string, { href: string; type: string }>;
}

const LINK = /^<([^<>]+)>; rel="([a-z-]+)"; type="([a-z]+\/[a-z]+)"$/;

function linksIn(value: string | undefined): Told['links'] {
  const links = (value?.split(', ') ?? []).map((link) => {
    const [, href = '', rel, type = ''] = LINK.exec(link) ?? [];
    if (rel === undefined) throw new Error(`no link: ${link}`);
    return [rel, { href, type }] as const;
  });
  // It is about the call and no date, and stands on answers whatever the dates are.
  return Object.fromEntries(links.filter(([rel]) => rel !== 'successor-version'));
}

/** What an answer says, strictly read; times in Unix seconds. */
export function told({ headers }: Pick<RawAnswer, 'headers'>): Told {
  const { deprecation, sunset, link } = headers;
  const item = deprecation === undefined ? undefined : parseItem(String(deprecation));
  if (item) expect([item[0], item[1].size]).toEqual([expect.any(Date), 0]);
  const date = sunset === undefined ? undefined : Date.parse(String(sunset));
  if (date !== undefined) expect(new Date(date).toUTCString()).toBe(sunset);
  return {
    deprecation: item && (item[0] as Date).getTime() / 1000,
    sunset: date && date / 1000,
    links: linksIn(link as string | undefined),
  };
}
