import type { OwnClient } from '../../store/clients/own-clients.ts';
import { showAlready, showCreated } from './created.ts';
import { type AgedSecret, agedSecrets, withClient } from './clients.ts';
import type { SettingsRoutes } from '../desk.ts';
import { formOf, newForm } from '../entries.ts';
import { goTo, refuse, show, type Visit } from '../visit.ts';
import { dateOf } from '../words.ts';

const pageOf = ({ clientId }: OwnClient) => `/settings/api/clients/${clientId}`;

function askForSecret(visit: Visit, client: OwnClient): void {
  if (client.confidential)
    show(visit, 'settings/secret-new', { title: 'New client secret', client, form: newForm() });
  else refuse(visit, 404);
}

const CREATED_BEFORE = {
  title: 'The secret was already created',
  advice: 'If you did not copy it, delete it and create another one.',
};

/** Only this answer contains the secret. */
function createSecret(visit: Visit, client: OwnClient): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  const asked = { accountId: visit.account.id, form };
  const made = visit.parts.store.ownClients.addSecret(asked, client.clientId);
  if (made === 'missing') return refuse(visit, 404);
  if (made === 'full') return goTo(visit, pageOf(client), 'secrets-full');
  if (made === 'used') return showAlready(visit, { ...CREATED_BEFORE, back: pageOf(client) });
  return showCreated(visit, 'settings/secret', { title: 'Your new client secret', client, ...made });
}

function withSecret(page: (visit: Visit, client: OwnClient, secret: AgedSecret) => void) {
  return withClient((visit, client) => {
    const secrets = agedSecrets(visit, client);
    const secret = secrets.find(({ id }) => id === visit.req.params['secret']);
    if (!secret) return refuse(visit, 404);
    if (secrets.length === 1) return goTo(visit, pageOf(client), 'last-secret');
    return page(visit, client, secret);
  });
}

/**
 * The pages for the secrets of a confidential client. A client has at least one secret. A second secret lets an app
 * change over; there are no more than two.
 */
export function addClientSecrets(desk: SettingsRoutes): void {
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
