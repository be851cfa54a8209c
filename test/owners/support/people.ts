import { newHexId, newLegacyToken, tokenHint } from '../../../src/shared/ids.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import type { MappingState } from '../../../src/store/tables/tables.ts';
import { type LegacyApp, type Person, walkUntil } from '../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import type { System } from '../../support/bridge/system.ts';

/** People with a browser on the owners' pages, and tokens that wait for them. */

interface KnownPerson extends Person {
  accountId: string;
}

export const DANA: KnownPerson = {
  accountId: '5e1f0c9a7b3d4e2f8a6c1d01',
  login: 'demo@grantbridge.example',
  password: 'grantbridge-demo',
};

export const SAM: KnownPerson = {
  accountId: '5e1f0c9a7b3d4e2f8a6c1d02',
  login: 'second@grantbridge.example',
  password: 'grantbridge-second',
};

/** The browsers in which people stay signed in at the modern side, so that not every consent takes a password. */
const atModernSide = new WeakMap<System, Map<string, CookieWalker>>();

function modernBrowserOf(system: System, { login }: Person): CookieWalker {
  const known = atModernSide.get(system) ?? new Map<string, CookieWalker>();
  atModernSide.set(system, known);
  const browser = known.get(login) ?? new CookieWalker();
  known.set(login, browser);
  return browser;
}

/**
 * Walks the modern side as a person from where a page of ours led to; answers where it sends the browser back to, to be
 * opened in the browser that left.
 */
export async function consentAt(
  system: System,
  page: Page,
  {
    person,
    browser = modernBrowserOf(system, person),
    isDenied = false,
  }: { person: Person; browser?: CookieWalker; isDenied?: boolean },
): Promise<string> {
  const until = `${system.bridgeUrl}/callback`;
  const decide = () => (isDenied ? ('deny' as const) : ('allow' as const));
  return (await walkUntil(page.location ?? '', { browser, person, until, decide })).location;
}

/** Signs in; answers the page that the return leads to, not followed. */
export async function signIn(
  system: System,
  browser: CookieWalker,
  { person = DANA, returnTo }: { person?: Person; returnTo?: string } = {},
): Promise<Page> {
  const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  const left = await browser.get(`${system.bridgeUrl}/sign-in${query}`);
  return browser.get(await consentAt(system, left, { person }));
}

/** A new browser in which the person is signed in. */
export async function browserOf(system: System, person: Person = DANA): Promise<CookieWalker> {
  const browser = new CookieWalker();
  await signIn(system, browser, { person });
  return browser;
}

/** Presses a button on a page, with the fields of its form. */
export async function pressIn(
  browser: CookieWalker,
  page: Page,
  text: RegExp,
  changes: Record<string, string> = {},
): Promise<Page> {
  const form = browser.forms(page).find(({ buttons }) => buttons.some((button) => text.test(button.text)));
  if (!form)
    throw new Error(`no button ${String(text)} at ${page.url} (${page.status}): ${page.body.slice(-1500)}`);
  const fields = Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
  return browser.submit(form, { ...fields, ...changes }, page.url);
}

/** The words of a page's main part. */
export function wordsOf({ body }: Page): string {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(body)?.[1] ?? '';
  return main
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

interface Waiting {
  app?: LegacyApp;
  accountId?: string;
  email?: string;
  state?: MappingState;
}

/** A token as an import would have left it. */
export async function waitingToken(
  system: System,
  { app = system.app, accountId, email, state = 'unmapped' }: Waiting,
): Promise<{ id: string; token: string }> {
  const { store, vault, clock } = system.bridge.context;
  const token = newLegacyToken();
  const [id, now] = [newHexId(), clock.now()];
  const hint = tokenHint(token);
  const row = {
    id,
    token_digest: vault.digest(token),
    hint_first: hint.first,
    hint_last: hint.last,
    client_id: app.clientId,
    account_id: accountId ?? null,
    account_email: email ?? null,
    state,
    source: 'imported' as const,
    created_at: now,
    updated_at: now,
  };
  if (accountId !== undefined) await ensureAccount(store.durable, accountId, now);
  await store.durable.insertInto('mappings').values(row).execute();
  return { id, token };
}

/** What the database holds of a mapping. */
export async function mappingOf(system: System, id: string) {
  const { durable } = system.bridge.context.store;
  const row = await durable.selectFrom('mappings').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { state: row.state, accountId: row.account_id, grantId: row.grant_id };
}

/** The actions in the history of an app, in their order, each with its reason. */
export async function historyOf(system: System, clientId: string): Promise<string[]> {
  const { durable } = system.bridge.context.store;
  const rows = await durable
    .selectFrom('events')
    .select(['action', 'reason'])
    .where('client_id', '=', clientId)
    .orderBy('id')
    .execute();
  return rows.map(({ action, reason }) => `${action}: ${reason}`);
}
