import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { DEMO } from './modern.ts';

type Person = typeof DEMO;

/** The hidden field `csrf` of the first form on a page. */
export function csrfOf(page: Page): string {
  return /name="csrf" value="([\w-]+)"/.exec(page.body)?.[1] ?? '';
}

/** Sends the form with this action as a browser would: its hidden fields, and what the person entered. */
export async function sendForm(
  browser: CookieWalker,
  page: Page,
  { action, values = {} }: { action: string; values?: Record<string, string> },
): Promise<Page> {
  const target = new URL(action, page.url).href;
  const form = browser.forms(page).find((each) => each.action === target && each.method === 'post');
  if (!form) throw new Error(`there is no form to ${action} on ${page.url} (status ${page.status})`);
  const given = Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
  return browser.post(target, { ...given, ...values }, { 'sec-fetch-site': 'same-origin' });
}

/** Opens the sign-in page of the settings and signs in; the answer is the redirect to what comes next. */
export async function signInToSettings(
  browser: CookieWalker,
  base: string,
  { person = DEMO, next }: { person?: Person; next?: string } = {},
): Promise<Page> {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
  const page = await browser.get(`${base}/settings/sign-in${query}`);
  return sendForm(browser, page, { action: '/settings/sign-in', values: person });
}

/** A browser that is signed in to the settings. */
export async function signedIn(base: string, person: Person = DEMO): Promise<CookieWalker> {
  const browser = new CookieWalker();
  const { status } = await signInToSettings(browser, base, { person });
  if (status !== 303) throw new Error(`signing in was answered ${status}`);
  return browser;
}

const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&quot;', '"');

/** What a field of the page holds; empty when there is no such field. */
export function valueOf({ body }: Page, name: string): string {
  const [tag = '', kind, text] =
    new RegExp(`<(input|textarea)\\b[^>]*\\b(?:id|name)="${name}"[^>]*>([^<]*)`).exec(body) ?? [];
  if (kind === 'textarea') return unescaped(text ?? '');
  return unescaped(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? '');
}
