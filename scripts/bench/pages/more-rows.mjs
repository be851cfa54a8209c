// What is around the tokens of a large installation: extra time, shared apps, webhooks with their messages, keys of programs.
import { accountIdOf, addressOf, clientIdOf, DAY, HOLDER, hexOf, mailRows, OWNED, STAFF } from './rows.mjs';

const many = (count) => Array.from({ length: count }, (_, at) => at);

/** Apps that others share with the person who holds thousands of tokens. */
const SHARED = 60;
const CONTACTS = 40;

export const MODERN_CLIENT = 'bench-own-client';
export const IDS = {
  appHook: hexOf('webhook 0'),
  supportHook: hexOf('webhook 5'),
  apiKey: hexOf('api key 0'),
  secret: hexOf('secret 0'),
  link: hexOf('link'),
  mail: hexOf('mail 0'),
};

const contactRows = ({ apps }) => [
  ...many(Math.min(SHARED, apps - OWNED)).map((app) => ({
    client_id: clientIdOf(app + OWNED),
    address: addressOf(HOLDER),
    access: app % 2 === 0 ? 'read' : 'manage',
    access_email: addressOf(HOLDER),
    account_id: accountIdOf(HOLDER),
  })),
  ...many(CONTACTS).map((person) => ({
    client_id: clientIdOf(0),
    address: addressOf(person + 10),
    access: null,
    access_email: null,
    account_id: null,
  })),
];

const extensionRows = ({ apps }, now) =>
  many(apps)
    .filter((app) => app > OWNED && app % 7 === 0)
    .map((app) => ({
      id: hexOf(`extension ${app}`),
      client_id: clientIdOf(app),
      name: 'retirement',
      until: now + ((app % 60) - 10) * DAY,
      reason: 'the owner asked for it',
      granted_by: 'command',
      granted_at: now - DAY,
    }));

/** Five of an app, and five of support. */
const webhookRows = (now) =>
  many(10).map((hook) => ({
    id: hexOf(`webhook ${hook}`),
    kind: hook < 5 ? 'app' : 'support',
    client_id: hook < 5 ? clientIdOf(0) : null,
    url: `https://hooks-${hook}.apps.example/told`,
    events: hook < 5 ? 'token.stopped' : 'queues.daily',
    made_by: 'command',
    created_at: now - 90 * DAY,
  }));

const MESSAGES = 10_000;

function* messageRows(now) {
  for (const hook of many(10))
    for (let message = 0; message < MESSAGES; message += 1)
      yield {
        id: `${String(hook).padStart(2, '0')}${message.toString(16).padStart(22, '0')}`,
        webhook_id: hexOf(`webhook ${hook}`),
        event: hook < 5 ? 'token.stopped' : 'queues.daily',
        told: `bench ${message}`,
        body: JSON.stringify({ id: message, type: 'token.stopped', text: 'x'.repeat(400) }),
        state: message % 50 === 0 ? 'dead' : 'delivered',
        attempts: 1,
        next_at: 0,
        status: message % 50 === 0 ? 500 : 200,
        created_at: now - 20 * DAY + message * 100_000,
        ended_at: now - 20 * DAY + message * 100_000,
      };
}

const keyRows = (now) =>
  many(200).map((key) => ({
    id: hexOf(`api key ${key}`),
    name: `Program ${key}`,
    role: 'agent',
    key_digest: `bench.${key}`,
    made_at: now - key * 1000,
    made_by: `account:${accountIdOf(STAFF)}`,
    account_id: accountIdOf(STAFF),
    expires_at: now + 30 * DAY,
    ended_at: key % 4 === 3 ? now - 1000 : null,
    last_used_at: now - DAY,
  }));

const modernClientRows = (now) => [
  {
    id: MODERN_CLIENT,
    client_id: clientIdOf(0),
    scopes: 'account:read',
    proven_at: now - DAY,
    keeps_handovers: 1,
  },
];

const secretRows = (now, vault) =>
  many(2).map((secret) => ({
    id: hexOf(`secret ${secret}`),
    client_id: clientIdOf(0),
    secret_digest: vault.digest(`secret ${secret}`),
    created_at: now - DAY,
  }));

/** The value of a mailed link to an address. */
export const PROOF = 'A'.repeat(43);

const proofRows = (now, vault) => [
  {
    id: hexOf('proof'),
    token_digest: vault.digest(PROOF),
    email: addressOf(HOLDER),
    account_id: null,
    created_at: now,
    expires_at: now + 30 * DAY,
  },
];

const linkRows = (now) => [
  { id: hexOf('link'), client_id: clientIdOf(0), account_id: accountIdOf(HOLDER), created_at: now },
];

const reminderRows = (now) =>
  many(2000).map((mail) => ({
    id: hexOf(`reminder ${mail}`),
    mail_id: hexOf(`mail ${mail}`),
    person: `email:lost-${mail}@gone.example`,
    client_id: clientIdOf(mail % 60),
    role: 'holder',
    stage: '30',
    planned_for: new Date(now).toISOString(),
    created_at: now,
  }));

/** Rows by table, in an order in which they may go in. */
export const rowsOf = (size, now, vault) => ({
  app_contacts: contactRows(size),
  extensions: extensionRows(size, now),
  webhooks: webhookRows(now),
  webhook_deliveries: messageRows(now),
  api_keys: keyRows(now),
  modern_clients: modernClientRows(now),
  app_secrets: secretRows(now, vault),
  email_proofs: proofRows(now, vault),
  reauthorization_links: linkRows(now),
  mails: mailRows(2000, now),
  reminders: reminderRows(now),
});
