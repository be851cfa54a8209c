import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { consent, exchange, REDIRECT_URI } from './modern.ts';
import { rows } from './running-modern.ts';
import { sendForm, valueOf } from './settings.ts';

/** A client that somebody registered on the settings pages. */
export interface Registered {
  id: string;
  secret: string;
  /** The page of the client. */
  path: string;
}

const NEW = '/settings/api/clients/new';

type Values = Record<string, string>;

/** Sends the form of a new client; the answer is the page after it. */
export async function register(base: string, browser: CookieWalker, values: Values = {}): Promise<Page> {
  const all = { name: 'Night planner', kind: 'confidential', redirect_uris: REDIRECT_URI, ...values };
  return sendForm(browser, await browser.get(base + NEW), { action: NEW, values: all });
}

export async function registered(base: string, browser: CookieWalker, values?: Values): Promise<Registered> {
  const page = await register(base, browser, values);
  const id = valueOf(page, 'client-id');
  return { id, secret: valueOf(page, 'client-secret'), path: `/settings/api/clients/${id}` };
}

/** What a client sends of itself to /token. */
export const asClient = ({ id, secret }: Registered): Values => ({
  client_id: id,
  ...(secret && { client_secret: secret }),
});

/** A person allows the client in this browser; the answer is what /token said. */
export async function tokensOf(base: string, browser: CookieWalker, client: Registered) {
  const parameters = { client_id: client.id, redirect_uri: REDIRECT_URI };
  return exchange(base, await consent({ base, browser, parameters }), asClient(client));
}

/** Opens the page with the question and says yes. */
export async function confirm(base: string, browser: CookieWalker, path: string): Promise<Page> {
  return sendForm(browser, await browser.get(base + path), { action: path });
}

export async function newSecret(base: string, browser: CookieWalker, { path }: Registered): Promise<string> {
  return valueOf(await confirm(base, browser, `${path}/secrets/new`), 'client-secret');
}

/** The addresses of the pages that delete a secret. */
export async function deletePaths(
  base: string,
  browser: CookieWalker,
  { path }: Registered,
): Promise<string[]> {
  const { body } = await browser.get(base + path);
  const links = body.matchAll(/href="(\/settings\/api\/clients\/\w+\/secrets\/\w+\/delete)"/g);
  return [...links].map((match) => match[1] ?? '');
}

/** How many clients people registered. */
export const countOfClients = () =>
  rows((db) => db.prepare('select count(*) from clients where account_id is not null').pluck().get());

export const deleteClients = () =>
  void rows((db) => db.exec('delete from clients where account_id is not null'));
