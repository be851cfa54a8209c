import { openApproval } from '../../endpoints/support/authorize-address.ts';
import type { Door } from '../../endpoints/support/door.ts';
import { getFrom, Stranger } from '../../endpoints/support/strangers.ts';
import { consentAt, DANA } from '../../owners/support/people.ts';
import type { RawAnswer } from '../../support/callers/raw-request.ts';

/** Asks until it is refused, a few at a time; how many were served, and the refusal. Those that come fast are spread. */
export async function untilRefused(ask: () => Promise<RawAnswer>, most: number) {
  let served = 0;
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const refused = answers.find(({ status }) => status === 429);
    served += answers.filter(({ status }) => status !== 429).length;
    if (refused) return { served, refused };
    if (served > most) throw new Error(`${served} requests of one address were served`);
  }
}

/** A sign-in that returns with a code that the modern side refuses. */
export async function madeUpReturn(door: Door) {
  const browser = new Stranger();
  const left = await browser.get(`${door.bridgeUrl}/sign-in`);
  const query = new URL(left.location ?? '').searchParams;
  const iss = encodeURIComponent(door.proxy.origin);
  const path = `/callback?code=made-up&state=${query.get('state')}&iss=${iss}`;
  return { path, cookie: browser.cookieHeader(door.bridgeUrl) };
}

export const refusedReturn = async (door: Door, address: string): Promise<number> =>
  (await getFrom(door.bridgeUrl, { address, ...(await madeUpReturn(door)) })).status;

/** A sign-in that is to return as it should. */
export async function goodReturn(door: Door) {
  const browser = new Stranger();
  const left = await browser.get(`${door.bridgeUrl}/sign-in`);
  const cookie = browser.cookieHeader(door.bridgeUrl);
  const back = new URL(await consentAt(door, left, { person: DANA }));
  return { path: back.pathname + back.search, cookie };
}

/** A request that a person allowed, which is to return. */
export async function decidedReturn(door: Door) {
  const open = await openApproval(door, {}, new Stranger());
  const left = await open.browser.post(open.page.url, { _form: open.field, decision: 'allow' });
  const cookie = open.browser.cookieHeader(door.bridgeUrl);
  const back = new URL(await consentAt(door, left, { person: DANA }));
  return { path: back.pathname + back.search, cookie };
}

/** Another process has counted so many. */
export async function countElsewhere(
  door: Door,
  [what, sender]: [what: string, sender: string],
  times: number,
): Promise<void> {
  const { counts } = door.bridge.context;
  for (let n = 0; n < times; n += 1) counts.count([what, sender]);
  await counts.sync();
  await door.bridge.untilShared();
}
