import type { PagesDeps } from './deps.ts';
import { findRegisteredApp } from '../../domain/apps/register-app.ts';
import { mappingTarget } from '../../domain/support/actions/actions.ts';

/**
 * The effect of each form of our pages, in words, by address. A person who is asked to send a form again reads these
 * words.
 */

interface FormAddress {
  /** `:app` and `:token` name the app or token that the form acts on. */
  path: string;
  words: string;
  /** The page of the form, if the page has another address than the form. */
  page?: string;
}

/** The forms of one webhook. Its id may stand in an address that is shown. */
const webhookActs = (list: string): FormAddress[] => {
  const page = `${list}/:webhook`;
  return [
    { path: `${page}/test`, words: 'Send a test to a webhook', page },
    { path: `${page}/again`, words: 'Send a message to a webhook again', page },
    { path: `${page}/secret`, words: 'Make a new secret of a webhook', page },
    { path: `${page}/remove`, words: 'Remove a webhook', page },
  ];
};

const ACTS: readonly FormAddress[] = [
  { path: '/sign-out', words: 'Sign out', page: '/apps/account' },
  { path: '/apps', words: 'Find an app in the list' },
  { path: '/apps/account/sign-out-everywhere', words: 'Sign out everywhere', page: '/apps/account' },
  { path: '/apps/account/switch', words: 'Switch the account', page: '/apps/account' },
  { path: '/apps/register', words: 'Register an app' },
  { path: '/apps/paste-token', words: 'Look for a pasted token' },
  { path: '/apps/prove-email', words: 'Send a mail with a link', page: '/apps' },
  { path: '/apps/prove-email/:value', words: 'Prove an e-mail address', page: '/apps' },
  { path: '/apps/connect/:link', words: 'Connect an app again' },
  {
    path: '/apps/connect/:link/switch',
    words: 'Switch the account and connect an app again',
    page: '/apps/connect/:link',
  },
  { path: '/apps/:app/connect', words: 'Connect the app again', page: '/apps/:app' },
  { path: '/apps/:app/revoke', words: 'Revoke the access of the app' },
  { path: '/apps/:app/tokens', words: 'Find a token in the list' },
  { path: '/apps/:app/secrets', words: 'Add a secret to the app' },
  { path: '/apps/:app/secrets/:secret/retire', words: 'Retire a secret of the app' },
  { path: '/apps/:app/modern-client', words: 'Enter a client of the app' },
  {
    path: '/apps/:app/modern-client/remove',
    words: 'Remove the client of the app',
    page: '/apps/:app/modern-client',
  },
  {
    path: '/apps/:app/modern-client/handovers',
    words: 'Decide about hand-overs to a client of the app',
    page: '/apps/:app/modern-client',
  },
  {
    path: '/apps/:app/modern-client/retire-secret',
    words: 'Retire the secret of a client of the app',
    page: '/apps/:app/modern-client',
  },
  {
    path: '/apps/:app/handovers/:entry/take-back',
    words: 'Take back the confirmation of a hand-over',
  },
  { path: '/apps/:app/rehearse', words: 'Start a rehearsal for the app' },
  {
    path: '/apps/:app/rehearse/stop',
    words: 'Stop the rehearsal of the app',
    page: '/apps/:app/rehearse',
  },
  {
    path: '/apps/:app/contacts',
    words: 'Add a contact to the app, for mails that cannot be delivered to its owner',
  },
  {
    path: '/apps/:app/contacts/remove',
    words: 'Remove a contact of the app: it gets no more mails about it',
    page: '/apps/:app/contacts',
  },
  {
    path: '/apps/:app/contacts/access',
    words: 'Change what a contact may do on the pages of the app',
    page: '/apps/:app/contacts',
  },
  {
    path: '/apps/:app/shared/leave',
    words: 'Leave an app that is shared with you',
    page: '/apps/:app/shared',
  },
  {
    path: '/apps/:app/shared/allow',
    words: 'Let the owner of an app share it with you again',
    page: '/apps/:app/shared',
  },
  { path: '/apps/:app/webhooks', words: 'Add a webhook to the app' },
  ...webhookActs('/apps/:app/webhooks'),
  { path: '/support/webhooks', words: 'Add a webhook for the counts of the desks' },
  ...webhookActs('/support/webhooks'),
  { path: '/support/api-keys', words: 'Make an API key' },
  { path: '/support/api-keys/:key/end', words: 'End an API key' },
  { path: '/support/search', words: 'Search', page: '/support' },
  { path: '/support/apps/:app', words: 'Find a token in the list' },
  { path: '/support/desks/:desk', words: 'Find in the list' },
  { path: '/support/accounts', words: 'Find in the list' },
  { path: '/support/mappings/:token/revoke', words: 'Revoke a token of the app' },
  { path: '/support/mappings/:token/remind', words: 'Send a reminder about the app' },
  { path: '/support/mappings/:token/link', words: 'Make a link to connect the app again' },
  { path: '/support/mappings/:token/probe', words: 'Test a connection of the app' },
  { path: '/support/mappings/:token/assign', words: 'Assign a token of this program to an app' },
  {
    path: '/support/mappings/:token/pin',
    words: 'Pin what waits under an address to an account',
  },
  { path: '/support/apps/:app/extend', words: 'Give the app more time' },
  { path: '/support/apps/:app/unextend', words: 'End the extra time of the app' },
  { path: '/support/apps/:app/give', words: 'Give the app to another account' },
  { path: '/support/history/:entry/take-back', words: 'Take back what staff did' },
  { path: '/support/mails/:mail/settle', words: 'Mark a mail as dealt with' },
];

const PART = /:(\w+)/g;

const PATTERNS = ACTS.map((act) => ({
  act,
  pattern: new RegExp(`^${act.path.replace(PART, String.raw`(?<$1>[\w-]+)`)}$`),
}));

/** The effect of a form, its app, and its page; undefined at an address that accepts no form. */
export interface FormAct {
  words: string;
  /** The name of the app, where the form concerns an app and the person may know the name. */
  appName: string | undefined;
  page: string;
}

interface FormSubject {
  app?: string;
  token?: string;
}

/** Everybody may know the name of an app. Only staff may know to which app a token belongs. */
async function appNameOf(
  context: PagesDeps,
  { app, token }: FormSubject,
  isStaff: boolean,
): Promise<string | undefined> {
  if (app !== undefined) return (await findRegisteredApp(context, app))?.name;
  if (token === undefined || !isStaff) return undefined;
  return (await mappingTarget(context, token))?.appName;
}

/** The act of a form that was sent to this path. */
export async function formActOf(
  context: PagesDeps,
  { path, isStaff }: { path: string; isStaff: boolean },
): Promise<FormAct | undefined> {
  for (const { act, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (!match) continue;
    const about: Record<string, string> = match.groups ?? {};
    const page = (act.page ?? act.path).replace(PART, (_, name: string) => about[name] ?? '');
    return { words: act.words, appName: await appNameOf(context, about, isStaff), page };
  }
  return undefined;
}
