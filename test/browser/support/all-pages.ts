import type { Page } from 'playwright-core';
import { CALENDAR, CAMPAIGN, DEMO_APPS, DESK, NEWS, UNIDENTIFIED } from '../../../src/demo-data/apps.ts';
import { type SeededPair, layPairs } from '../../../src/demo-data/life.ts';
import { DEMO_PEOPLE } from '../../../src/demo-data/people.ts';
import { mailRows } from '../../../src/demo-data/mail-rows.ts';
import { demoPairs } from '../../../src/demo-data/tokens.ts';
import { press } from '../steps.ts';
import type { DemoWorld } from './demo-world.ts';

/**
 * Every page of people, each in the states that the data of the demo has of it: by its address, or by what is done there.
 * What takes more than that data stands in lived-in-pages.ts.
 */

export interface Shown {
  /** Of its pictures. */
  name: string;
  path: string;
  /** What is done on the page at the address, to see what it answers. */
  act?: (page: Page, world: DemoWorld) => Promise<void>;
}

/** One of them. */
export const page = (name: string, path: string, act?: Shown['act']): Shown => ({
  name,
  path,
  ...(act && { act }),
});

const UNKNOWN = '0'.repeat(24);

/** Fills the one field of a form, and sends it. */
export const fill = (label: string, text: string, button: string) => async (shown: Page) => {
  await shown.getByLabel(label).first().fill(text);
  await press(shown, button);
};

const TABS = [
  'tokens',
  'calls',
  'live',
  'move',
  'new-calls',
  'secrets',
  'modern-client',
  'contacts',
  'webhooks',
  'rehearse',
];

const ofOwnApp = (path: string, name: string): Shown[] =>
  TABS.map((tab) => page(`${name}-${tab}`, `${path}/${tab}`));

const app = (clientId: string) => `/apps/${clientId}`;

/** What an owner and holder sees. */
export const OWNER_PAGES: readonly Shown[] = [
  page('home', '/apps'),
  page('progress', '/apps/progress'),
  page('account', '/apps/account'),
  page('register', '/apps/register'),
  page('register-problem', '/apps/register', async (shown) => {
    await shown.getByLabel('Name').fill('Night printer');
    await shown.getByLabel('Callback URLs').fill('ftp://printer.example');
    await press(shown, 'Register app');
  }),
  page('paste-token', '/apps/paste-token'),
  page('app-news', app(NEWS.clientId)),
  ...ofOwnApp(app(NEWS.clientId), 'app-news'),
  page('app-news-contacts-problem', `${app(NEWS.clientId)}/contacts`, fill('Mail address', 'nobody', 'Add')),
  page(
    'app-news-webhooks-problem',
    `${app(NEWS.clientId)}/webhooks`,
    fill('Address of your server', 'https://10.0.0.1/hooks', 'Add'),
  ),
  page('app-news-revoke', `${app(NEWS.clientId)}/revoke`),
  page('app-moved', app(CALENDAR.clientId)),
  page('app-moved-move', `${app(CALENDAR.clientId)}/move`),
  page('app-moved-tokens', `${app(CALENDAR.clientId)}/tokens`),
  page('app-of-another', app(DESK.clientId)),
  page('app-of-another-live', `${app(DESK.clientId)}/live`),
  page('app-of-another-revoke', `${app(CAMPAIGN.clientId)}/revoke`),
  page('app-program', app(UNIDENTIFIED.clientId)),
  page('app-unknown', app(UNKNOWN)),
  page('connect-unknown', `/apps/connect/${UNKNOWN}`),
  page('prove-unknown', `/apps/prove-email/${UNKNOWN}`),
];

const everyPair = layPairs(demoPairs(UNKNOWN), 0);

/** The first token of a pair that fits. */
function tokenWhere(fits: (pair: SeededPair) => boolean, place = 0): string {
  const token = everyPair.find(fits)?.tokens[place];
  if (!token) throw new Error('the demo has no such token');
  return `/support/mappings/${token.id}`;
}

const held = (clientId: string, accountId: string) => (pair: SeededPair) =>
  pair.clientId === clientId && pair.accountId === accountId;

const { dana, sam, tom, oskar } = DEMO_PEOPLE;
export const STOPPED = tokenWhere(held(NEWS.clientId, dana.accountId));
export const WAITING = tokenWhere(held(NEWS.clientId, tom.accountId));
const REVOKED = tokenWhere(held(DESK.clientId, dana.accountId), 2);
const MOVED = tokenWhere(held(CALENDAR.clientId, oskar.accountId));
const OF_ADDRESS = tokenWhere(({ email }) => email !== null);
const OF_PROGRAM = tokenWhere(held(UNIDENTIFIED.clientId, sam.accountId));
const OF_NOBODY = tokenWhere(({ legacyAccountId }) => legacyAccountId !== null);
/** These two in a world that is lived in (lived-in.ts). */
export const WORKING = tokenWhere(held(CAMPAIGN.clientId, dana.accountId));
export const IN_DOUBT = tokenWhere(held(DESK.clientId, sam.accountId));
const UNREACHED = mailRows(0, 0).mails.find(({ state }) => state === 'undeliverable')?.id ?? UNKNOWN;

const DESKS = [
  'in-doubt',
  'died-today',
  'undeliverable',
  'no-account',
  'hand-overs',
  'waiting',
  'extensions',
];

/** Sends a search. */
export const searched = (words: string) => async (shown: Page) => {
  await shown.getByRole('searchbox').fill(words);
  await press(shown, 'Search');
};

/** What support sees. */
export const STAFF_PAGES: readonly Shown[] = [
  page('support', '/support'),
  page('support-found', '/support', searched('ca')),
  page('support-found-person', '/support', searched(sam.email)),
  page('support-nothing', '/support', searched('nobody@nowhere.example')),
  page('support-unknown-token', '/support', searched(`1/${'0123456789abcdef'.repeat(2)}`)),
  page('support-token-stopped', STOPPED),
  page('support-token-waiting', WAITING),
  page('support-token-revoked', REVOKED),
  page('support-token-moved', MOVED),
  page('support-token-of-address', OF_ADDRESS),
  page('support-token-of-program', OF_PROGRAM),
  page('support-token-of-nobody', OF_NOBODY),
  page('support-token-unknown', `/support/mappings/${UNKNOWN}`),
  page('support-link', `${STOPPED}/link`),
  page('support-link-no-reason', `${STOPPED}/link`, fill('Reason', ' ', 'Make the link')),
  page('support-link-made', `${STOPPED}/link`, fill('Reason', 'The holder called', 'Make the link')),
  page('support-revoke', `${WAITING}/revoke`),
  page('support-remind', `${WAITING}/remind`),
  page('support-pin', `${OF_ADDRESS}/pin`),
  page('support-assign', `${OF_PROGRAM}/assign`),
  page('support-settle', `/support/mails/${UNREACHED}/settle`),
  page('support-accounts', '/support/accounts'),
  page('support-accounts-stopped', '/support/accounts?show=stopped'),
  page('support-account', `/support/accounts/${dana.accountId}`),
  page('support-account-tom', `/support/accounts/${tom.accountId}`),
  page('support-account-unknown', `/support/accounts/${UNKNOWN}`),
  ...DEMO_APPS.map(({ clientId, name }) =>
    page(`support-app-${name.toLowerCase().replaceAll(/\W+/g, '-')}`, `/support/apps/${clientId}`),
  ),
  page('support-app-unknown', `/support/apps/${UNKNOWN}`),
  page('support-extend', `/support/apps/${NEWS.clientId}/extend`),
  page('support-unextend', `/support/apps/${DESK.clientId}/unextend`),
  page('support-desks', '/support/desks'),
  ...DESKS.map((desk) => page(`support-desk-${desk}`, `/support/desks/${desk}`)),
  page('support-desk-unknown', '/support/desks/nowhere'),
  page('support-numbers', '/support/numbers'),
  page('support-api-keys', '/support/api-keys'),
  page('support-api-key-made', '/support/api-keys', fill('Name', 'Ticket desk', 'Make the key')),
  page('support-webhooks', '/support/webhooks'),
];

/** The same addresses where nothing is known of anybody yet. */
export const EMPTY_PAGES: readonly Shown[] = [
  page('empty-home', '/apps'),
  page('empty-progress', '/apps/progress'),
  page('empty-support', '/support'),
  page('empty-desks', '/support/desks'),
  ...DESKS.map((desk) => page(`empty-desk-${desk}`, `/support/desks/${desk}`)),
  page('empty-numbers', '/support/numbers'),
];

/** What somebody sees who is not signed in. */
export const STRANGERS_PAGES: readonly Shown[] = [
  page('start', '/'),
  page('lifecycle', '/lifecycle'),
  page('migrate-calls', '/migrate/calls'),
  page('signed-out-app', app(NEWS.clientId)),
  page('signed-out-everywhere', '/apps/account/signed-out'),
  page('nowhere', '/nowhere'),
];
