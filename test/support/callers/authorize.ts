import { CookieWalker, type Page } from './cookie-walker.ts';
import { type Form, linkOf } from './html-forms.ts';

export interface Person {
  login: string;
  password: string;
}

export interface LegacyApp {
  clientId: string;
  clientSecret: string;
  callback: string;
}

export interface Walk {
  browser?: CookieWalker;
  person: Person;
  /** The walk ends at the redirect to an address that starts with this. */
  until: string;
  /** What the person does on a page that asks; without it everything is allowed. */
  decide?: (page: Page) => keyof typeof DECISIONS;
}

const DECISIONS = {
  allow: /\b(allow|approve|authori[sz]e|continue|connect|accept|yes|sign.?in|log.?in)\b/i,
  deny: /\b(deny|refuse|reject|decline|cancel|no)\b/i,
};

function pressed(form: Form, wanted: RegExp): Record<string, string> | undefined {
  const button = form.buttons.find((b) => wanted.test(b.value) || wanted.test(b.text));
  return button && (button.name === undefined ? {} : { [button.name]: button.value });
}

function valuesOf(form: Form, person: Person): Record<string, string> {
  const typed = (type: string, value: string) =>
    type === 'password' ? person.password : /^(text|email)$/.test(type) ? person.login : value;
  return Object.fromEntries(form.fields.map((f) => [f.name, typed(f.type, f.value)]));
}

/** Uses what a person would use here: the form that asks for a password, else the wanted button, else the wanted link. */
async function answer(page: Page, browser: CookieWalker, walk: Walk): Promise<Page> {
  const forms = browser.forms(page);
  const login = forms.find((f) => f.fields.some((field) => field.type === 'password'));
  const wanted = DECISIONS[login ? 'allow' : (walk.decide?.(page) ?? 'allow')];
  const form = login ?? forms.find((f) => pressed(f, wanted) !== undefined);
  if (form)
    return browser.submit(form, { ...valuesOf(form, walk.person), ...pressed(form, wanted) }, page.url);
  const link = linkOf(page.body, page.url, wanted);
  if (link !== undefined) return browser.get(link);
  throw new Error(`nothing to go on with at ${page.url} (${page.status}): ${page.body.slice(0, 600)}`);
}

/** Walks every page from `start` as a person with a browser; the answer that redirects to `until` is returned. */
export async function walkUntil(start: string, options: Walk): Promise<Page & { location: string }> {
  const browser = options.browser ?? new CookieWalker();
  let page = await browser.follow(await browser.get(start), options.until);
  for (let step = 0; step < 8; step++) {
    const { location } = page;
    if (location?.startsWith(options.until)) return { ...page, location };
    page = await browser.follow(await answer(page, browser, options), options.until);
  }
  throw new Error(`never redirected to ${options.until}; the last page was ${page.url} (${page.status})`);
}

export interface Authorization extends Page {
  location: string;
  /** As it stands in the Location header, not decoded. */
  code: string | undefined;
  state: string | undefined;
  error: string | undefined;
}

export interface AuthorizeOptions {
  bridgeUrl: string;
  app: LegacyApp;
  person: Person;
  browser?: CookieWalker;
  /** Whether the person refuses, and on whose page: the bridge's approval or the modern consent. */
  refuse?: 'approval' | 'consent';
  state?: string;
}

/** The whole legacy authorization as the account holder, up to the redirect to the app's callback. */
export async function authorize(options: AuthorizeOptions): Promise<Authorization> {
  const { bridgeUrl, app, state, refuse, ...rest } = options;
  const query = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: app.callback,
    response_type: 'code',
  });
  if (state !== undefined) query.set('state', state);
  const page = await walkUntil(`${bridgeUrl}/oauth2/authorize?${query.toString()}`, {
    ...rest,
    until: app.callback,
    decide: ({ url }) => (refuse === (url.startsWith(bridgeUrl) ? 'approval' : 'consent') ? 'deny' : 'allow'),
  });
  const raw = (name: string) => new RegExp(`[?&]${name}=([^&]*)`).exec(page.location)?.[1];
  return { ...page, code: raw('code'), state: raw('state'), error: raw('error') };
}
