import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { DESK, NEWS } from '../../../src/demo-data/apps.ts';
import { addStaff } from '../../../src/domain/accounts/staff.ts';
import { newHexId } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { DANA, SAM } from '../../owners/support/people.ts';
import { follow, press } from '../steps.ts';
import { fill, IN_DOUBT, page, searched, type Shown, STOPPED, WAITING, WORKING } from './all-pages.ts';
import type { DemoWorld } from './demo-world.ts';

/** Pages that come of what somebody does, and of connections that stand (lived-in.ts); in their order. */

const news = `/apps/${NEWS.clientId}`;

type Act = NonNullable<Shown['act']>;

/** Fills the reason and sends the form. */
const because = (button: string) => fill('Reason', 'The holder called', button);

async function makeLink(shown: Page): Promise<void> {
  await because('Make the link')(shown);
  await shown.goto(await shown.getByLabel('The link', { exact: true }).inputValue());
}

/** The forms of the open page are of a session that is over. */
const outdate = (shown: Page) =>
  shown.evaluate('document.querySelectorAll("[name=_form]").forEach((field) => { field.value = "old"; })');

async function register(shown: Page): Promise<void> {
  await shown.getByLabel('Name').fill('Night printer');
  await shown.getByLabel('Callback URLs').fill('https://printer.example/callback');
  await press(shown, 'Register app');
}

/** The owner lets Sam see the app. */
const share: Act = async (shown) => {
  await fill('Mail address', SAM.login, 'Add')(shown);
  await shown.getByLabel(`What ${SAM.login} may do`, { exact: true }).selectOption('read');
  await shown
    .getByRole('button', { name: /^Change/ })
    .last()
    .click();
  await shown.getByText('Once they have shown that the address is theirs').waitFor();
};

/** Sam has shown that the address is his. */
const openShared =
  (path: string): Act =>
  async (shown, { bridge, bridgeUrl }: DemoWorld) => {
    const proven = { account_id: SAM.accountId };
    const { durable } = bridge.context.store;
    await durable.updateTable('app_contacts').set(proven).where('access_email', '=', SAM.login).execute();
    await shown.goto(`${bridgeUrl}${path}`);
  };

/** No message goes to the address: nothing happens to the app while the pages are looked at. */
async function addWebhook(shown: Page): Promise<void> {
  await shown.getByLabel('Address of your server').fill('https://93.184.215.14/hooks/old-api');
  await shown.getByRole('checkbox', { name: /^A token of the app stopped/ }).check();
  await press(shown, 'Add');
}

/** With a message in each state, as an outage of its receiver leaves them. */
const openWebhook: Act = async (shown, { bridge }) => {
  await follow(shown, 'Messages and settings of https://93.184.215.14/hooks/old-api');
  const now = bridge.context.clock.now();
  const of = { webhook_id: shown.url().slice(-24), event: 'token.stopped', body: '{}', created_at: now };
  const failed = { failure: 'the answer was no success', status: 503 };
  const states = [
    { state: 'dead', attempts: 8, ended_at: now, ...failed },
    { state: 'due', attempts: 2, ended_at: null, ...failed },
    { state: 'delivered', attempts: 1, ended_at: now, failure: null, status: 204 },
  ] as const;
  const rows = states.map((one) => ({ ...of, ...one, id: newHexId(), told: one.state, next_at: now + DAY }));
  await bridge.context.store.durable.insertInto('webhook_deliveries').values(rows).execute();
  await shown.reload();
};

/** A connected token and a stopped one, each used by a program while the page looks on. */
const callOn: Act = async (shown, world) => {
  await shown.getByText('Listening.').waitFor();
  for (const holder of ['sam', 'dana'] as const) await world.call(world.tokenOf(holder, NEWS.clientId).token);
  // It is told after the rows.
  await shown.getByText(/2 new calls/).waitFor();
};

/** The page would open itself again under the eyes of axe. */
const holdStill = (shown: Page) => shown.goto(`${new URL(shown.url()).origin}${news}/rehearse?watch=off`);

/** The end of every call, which fails without an old backend too; only while it is rehearsed is there such a date. */
async function setSunset({ bridge }: DemoWorld, at: number | undefined): Promise<void> {
  const { store, lifecycle } = bridge.context;
  const row = { name: 'sunset' as const, changed_at: 0, changed_by: 'test' };
  if (at === undefined)
    await store.durable.deleteFrom('lifecycle_dates').where('name', '=', 'sunset').execute();
  else
    await store.durable
      .insertInto('lifecycle_dates')
      .values({ ...row, at })
      .execute();
  await lifecycle.refresh();
}

const rehearse: Act = async (shown, world) => {
  await setSunset(world, world.bridge.context.clock.now() + 180 * DAY);
  await shown.reload();
  await shown.getByRole('radio', { name: /^Sunset/ }).check();
  await press(shown, 'Start the rehearsal');
  await holdStill(shown);
};

/** The rehearsal begins two seconds after the button. */
const failInRehearsal: Act = async (shown, world) => {
  await pause(2000);
  for (let tries = 0; tries < 20; tries++) {
    for (const holder of ['sam', 'dana'] as const)
      await world.call(world.tokenOf(holder, NEWS.clientId).token);
    await world.bridge.context.usage.flush();
    await shown.reload();
    if ((await shown.getByText(/\d calls? failed so far/).count()) > 0) return;
    await pause(200);
  }
  throw new Error('the rehearsal refuses nothing');
};

const endRehearsal: Act = async (shown, world) => {
  await press(shown, 'End the rehearsal now');
  await setSunset(world, undefined);
  await holdStill(shown);
};

/** The last calls are counted some seconds after the end. */
const awaitResult: Act = async (shown) => {
  for (let tries = 0; tries < 20 && (await shown.getByText('Result so far').count()) > 0; tries++) {
    await pause(1000);
    await shown.reload();
  }
  await shown.getByRole('heading', { name: /^Result: / }).waitFor();
};

/** What an owner and holder sees. */
export const OWNER_ACTS: readonly Shown[] = [
  page('rehearsal-begins', `${news}/rehearse?watch=off`, rehearse),
  page('rehearsal-running', `${news}/rehearse?watch=off`, failInRehearsal),
  page('rehearsal-result', `${news}/rehearse?watch=off`, endRehearsal),
  page('connect', `${STOPPED}/link`, makeLink),
  page('connect-of-another', `${WAITING}/link`, makeLink),
  page('live-calls', `${news}/live`, callOn),
  page('form-expired', `${news}/contacts`, async (shown) => {
    await outdate(shown);
    await fill('Mail address', 'night@bakery.example', 'Add')(shown);
  }),
  page('form-expired-secret', '/apps/paste-token', async (shown) => {
    await outdate(shown);
    await fill('Access token', `1/${'0123456789abcdef'.repeat(2)}`, 'Look it up')(shown);
  }),
  page('registered', '/apps/register', register),
  page('secret-added', `${news}/secrets`, (shown) => press(shown, 'Make a new secret')),
  page('secrets-two', `${news}/secrets`),
  page('secret-retire', `${news}/secrets`, (shown) =>
    shown.getByRole('link', { name: /^Retire the older/ }).click(),
  ),
  page('contacts-shared', `${news}/contacts`, share),
  page('webhook-secret', `${news}/webhooks`, addWebhook),
  page('webhook', `${news}/webhooks`, openWebhook),
  page('webhooks-one', `${news}/webhooks`),
  page('rehearsal-over', `${news}/rehearse?watch=off`, awaitResult),
];

/** As many as a person makes in a minute. */
const tooMany: Act = async (shown, world) => {
  for (let n = 0; n < 60; n++) world.bridge.context.counts.count(['support search', DANA.accountId]);
  await searched('bakery')(shown);
};

const openTakeBack: Act = async (shown) => {
  await because('Revoke the token')(shown);
  await follow(shown, 'Take back');
};

/** What support sees. */
export const STAFF_ACTS: readonly Shown[] = [
  page('support-token-working', WORKING),
  page('support-probe', `${WORKING}/probe`),
  page('support-probed', `${WORKING}/probe`, because('Test it now')),
  page('support-token-in-doubt', IN_DOUBT),
  page('support-probed-in-doubt', `${IN_DOUBT}/probe`, because('Test it now')),
  page('support-take-back', `${WAITING}/revoke`, openTakeBack),
  page('support-taken-back', WAITING, async (shown) => {
    await follow(shown, 'Take back');
    await because('Take it back')(shown);
  }),
  page('support-token-then', `${STOPPED}?at=${new Date(Date.now() - 30 * DAY).toISOString()}`),
  page('support-form-expired', '/support', async (shown) => {
    await outdate(shown);
    await searched('bakery')(shown);
  }),
  page('support-settled', '/support/desks/undeliverable', async (shown) => {
    await follow(shown, 'Mark as dealt with');
    await because('Mark as dealt with')(shown);
  }),
  page('support-too-many', '/support', tooMany),
];

const asReader =
  (path: string): Act =>
  async (shown, { bridge, bridgeUrl }: DemoWorld) => {
    const named = { account: SAM.accountId, role: 'reader', actor: 'test', requestId: null } as const;
    await addStaff(bridge.context, named);
    await shown.goto(`${bridgeUrl}${path}`);
  };

const signOutMeanwhile: Act = async (shown) => {
  await shown.context().clearCookies();
  await fill('Mail address', 'night@records.example', 'Add')(shown);
};

/** What another owner sees, who is not of the staff and then may only read there. */
export const SECOND_PAGES: readonly Shown[] = [
  page('second-home', '/apps'),
  page('shared-home', '/apps', openShared('/apps')),
  page('shared-app', '/apps', openShared(news)),
  page('shared-app-contacts', '/apps', openShared(`${news}/contacts`)),
  page('shared-leave', '/apps', openShared(`${news}/shared`)),
  page('shared-left', `${news}/shared`, (shown) => press(shown, 'Leave')),
  page('shared-allow', `${news}/shared`),
  page('second-app-in-doubt', `/apps/${DESK.clientId}`),
  page('not-of-the-staff', '/support'),
  page('reader-token', '/apps', asReader(STOPPED)),
  page('reader-may-not', '/apps', asReader(`${STOPPED}/revoke`)),
  page('reader-desk-no-account', '/apps', asReader('/support/desks/no-account')),
  page('reader-app', '/apps', asReader(`/support/apps/${NEWS.clientId}`)),
  page('form-expired-signed-out', `/apps/${DESK.clientId}/contacts`, signOutMeanwhile),
];
