import type { SecretRecord } from '../store/client-secrets.ts';
import type { OwnClient } from '../store/own-clients.ts';
import { withClient } from './clients.ts';
import type { Desk } from './desk.ts';
import { formOf, newForm } from './entries.ts';
import { goTo, refuse, show, type Visit } from './visit.ts';
import { dateOf } from './words.ts';

const pageOf = ({ clientId }: OwnClient) => `/settings/api/clients/${clientId}`;

function askForSecret(visit: Visit, client: OwnClient): void {
  if (client.confidential)
    show(visit, 'settings/secret-new', { title: 'New client secret', client, form: newForm() });
  else refuse(visit, 404);
}

/** The one answer that contains the secret. */
function createSecret(visit: Visit, client: OwnClient): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  const asked = { accountId: visit.account.id, form };
  const outcome = visit.parts.store.ownClients.addSecret(asked, client.clientId);
  if (outcome === 'missing') return refuse(visit, 404);
  if (outcome === 'full') return goTo(visit, pageOf(client), 'secrets-full');
  if (outcome === 'used') {
    visit.res.status(409);
    const back = pageOf(client);
    return show(visit, 'settings/already', { title: 'The secret was already created', what: 'secret', back });
  }
  return show(visit, 'settings/secret', { title: 'Your new client secret', client, ...outcome });
}

function withSecret(page: (visit: Visit, client: OwnClient, secret: SecretRecord) => void) {
  return withClient((visit, client) => {
    const secrets = visit.parts.store.ownClients.secretsOf(visit.account.id, client.clientId);
    const secret = secrets.find(({ id }) => id === visit.req.params['secret']);
    if (!secret) return refuse(visit, 404);
    if (secrets.length === 1) return goTo(visit, pageOf(client), 'last-secret');
    return page(visit, client, secret);
  });
}

/** Secrets of a confidential client: two at most, so that an app can change over; one at least. */
export function addClientSecrets(desk: Desk): void {
  desk.get('/api/clients/:id/secrets/new', withClient(askForSecret));
  desk.post('/api/clients/:id/secrets/new', withClient(createSecret));
  desk.get(
    '/api/clients/:id/secrets/:secret/delete',
    withSecret((visit, client, secret) =>
      show(visit, 'settings/secret-delete', { title: 'Delete this secret?', client, secret, dateOf }),
    ),
  );
  desk.post(
    '/api/clients/:id/secrets/:secret/delete',
    withSecret((visit, client, secret) => {
      const { ownClients } = visit.parts.store;
      const isGone = ownClients.removeSecret(visit.account.id, client.clientId, secret.id);
      goTo(visit, pageOf(client), isGone ? 'secret-deleted' : 'last-secret');
    }),
  );
}
