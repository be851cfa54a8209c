import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { rows } from './running-modern.ts';
import { sendForm, valueOf } from './settings.ts';

const NEW = '/settings/api/keys/new';

/** The key on the one page that shows it; empty on every other. */
export const keyOn = (page: Page): string => valueOf(page, 'key');

export async function createKey(base: string, browser: CookieWalker, name = 'My server'): Promise<Page> {
  return sendForm(browser, await browser.get(base + NEW), { action: NEW, values: { name } });
}

/** Follows the first link of the list that begins with these words to its confirming page. */
export async function confirming(base: string, browser: CookieWalker, what: RegExp): Promise<Page> {
  const list = await browser.get(`${base}/settings/api`);
  return browser.get(linkOf(list.body, list.url, what) ?? 'about:blank');
}

export async function confirmed(browser: CookieWalker, page: Page): Promise<Page> {
  return sendForm(browser, page, { action: new URL(page.url).pathname });
}

export const deleteKeys = () => void rows((db) => db.exec('delete from api_keys'));
