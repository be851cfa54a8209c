import { walkUntil } from '../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../support/callers/cookie-walker.ts';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import type { WholeSystem } from './whole-system.ts';

/** Whose page the person says no on, if any: the bridge's approval or the modern consent. */
export type Refusal = 'approval' | 'consent';

const PAGES = { approval: '/approve/', consent: '/interaction/' };

/** The page at the end of the demo integration's own flow. */
export async function connectDemo(
  { demoUrl, person }: Pick<WholeSystem, 'demoUrl' | 'person'>,
  browser: CookieWalker,
  refuse?: Refusal,
): Promise<Page> {
  const callback = `${demoUrl}/connect/buffer/callback`;
  const back = await walkUntil(`${demoUrl}/connect/buffer`, {
    browser,
    person,
    until: callback,
    decide: ({ url }) => (refuse && url.includes(PAGES[refuse]) ? 'deny' : 'allow'),
  });
  return browser.follow(await browser.get(back.location));
}

/** The page that shows a code to copy, for an app that has no callback. */
async function codePage(system: WholeSystem, authorizeUrl: string): Promise<Page> {
  const browser = new CookieWalker();
  const { person, bridgeUrl } = system;
  const back = await walkUntil(authorizeUrl, { browser, person, until: `${bridgeUrl}/callback` });
  return browser.get(back.location);
}

/** What the printed commands do: the code from the page, the exchange. */
export async function tokenFromCodePage(system: WholeSystem): Promise<RawAnswer> {
  const authorizeUrl = /^ +(\S+\/oauth2\/authorize\S+)$/m.exec(system.welcome)?.[1] ?? '';
  const page = await codePage(system, authorizeUrl);
  const code = /<code[^>]*>([^<]+)<\/code>/.exec(page.body)?.[1];
  if (code === undefined) throw new Error(`${page.url} shows no code: ${page.status} ${page.body}`);
  const body = new URLSearchParams(exchangeFields(system.app, code)).toString();
  return sendRaw(system.bridgeUrl, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) });
}

/** The profiles that a token reads, over the query string as the printed curl sends it. */
export async function readProfiles({ bridgeUrl }: WholeSystem, token: string): Promise<RawAnswer> {
  return sendRaw(bridgeUrl, { path: `/1/profiles.json?access_token=${token}` });
}

/** Presses the button of a form on a page of the demo and follows to the page after it. */
export async function press(browser: CookieWalker, page: Page, action: string): Promise<Page> {
  const form = browser.forms(page).find((candidate) => candidate.action.endsWith(action));
  if (!form) throw new Error(`no form for ${action} on ${page.url}`);
  return browser.follow(await browser.submit(form, {}, page.url));
}
