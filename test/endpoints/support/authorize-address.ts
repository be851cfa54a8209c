import type { LegacyApp } from '../../support/callers/authorize.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import type { Door } from './door.ts';

/** Path and query of an authorization request; a change with an undefined value leaves a parameter out. */
export function authorizePath(app: LegacyApp, changes: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    client_id: app.clientId,
    redirect_uri: app.callback,
    response_type: 'code',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return `/oauth2/authorize?${query.toString()}`;
}

/** How many authorization requests and codes there are: what a refusal must not change. */
export async function rowsOf({ bridge }: Door) {
  const { durable } = bridge.context.store;
  const requests = await durable.selectFrom('authorization_requests').select('id').execute();
  const codes = await durable.selectFrom('legacy_codes').select('code_digest').execute();
  return { requests: requests.length, codes: codes.length };
}

/** An approval page that is open in a browser. */
export interface OpenApproval {
  browser: CookieWalker;
  page: Page;
  id: string;
  /** The hidden field that ties the form to this browser. */
  field: string;
}

/** From the old address to the approval page. */
export async function openApproval(
  door: Door,
  changes: Record<string, string | undefined> = {},
  browser = new CookieWalker(),
): Promise<OpenApproval> {
  const before = browser.received.length;
  const page = await browser.follow(await browser.get(door.bridgeUrl + authorizePath(door.app, changes)));
  const field = browser.forms(page)[0]?.fields.find(({ name }) => name === '_form')?.value ?? '';
  const given = browser.received.slice(before).find(({ name }) => name.startsWith('gb_browser_'));
  return { browser, page, id: given?.name.slice('gb_browser_'.length) ?? '', field };
}

/** The address of an approval page: sealed, so that nothing is kept before a person has decided. */
export const approvalAddress = (publicUrl: string) =>
  new RegExp(`^${publicUrl}/approve/[a-z0-9]{1,16}\\.[A-Za-z0-9_-]{100,}$`);

/** The state in which a request stands; `new` while nobody has decided and nothing of it is kept. */
export async function phaseOf({ bridge }: Door, id: string): Promise<string> {
  const row = await bridge.context.store.durable
    .selectFrom('authorization_requests')
    .select('phase')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.phase ?? 'new';
}
