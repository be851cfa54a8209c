import { MAX_SECRETS, type SecretRecord } from '../../store/clients/client-secrets.ts';
import { type ClientFields, MAX_CLIENTS, type OwnClient } from '../../store/clients/own-clients.ts';
import { showAlready, showCreated } from './created.ts';
import type { SettingsRoutes } from '../desk.ts';
import { type FormEntry, formOf, newForm, readName } from '../entries.ts';
import { ask, problemsOf } from '../questions.ts';
import { readRedirectUris } from './redirect-uris.ts';
import { goTo, refuse, show, type Visit } from '../visit.ts';
import { agoOf, dateOf } from '../words.ts';

interface Entries {
  name: FormEntry<string>;
  uris: FormEntry<string[]>;
  /** `confidential`, `public` or any other text that was sent. */
  kind: string;
}

export interface AgedSecret extends SecretRecord {
  age: 'older' | 'newer' | undefined;
}

const EMPTY: Entries = { name: { entered: '' }, uris: { entered: '' }, kind: 'confidential' };
const TOO_MANY = `You have ${MAX_CLIENTS} clients, and no more are possible. Delete one that is not used any more first.`;

const readEntries = (visit: Visit): Entries => ({
  name: readName(visit),
  uris: readRedirectUris(visit),
  kind: visit.form['kind'] ?? '',
});

function fieldsOf({ name, uris }: Entries): ClientFields | undefined {
  if (name.value === undefined || uris.value === undefined) return undefined;
  return { name: name.value, redirectUris: uris.value };
}

const clientIdOf = ({ req }: Visit): string => String(req.params['id']);

/** Runs `page` with the client in the address. Answers 404 for a client that the account does not own. */
export function withClient(page: (visit: Visit, client: OwnClient) => void) {
  return (visit: Visit): void => {
    const client = visit.parts.store.ownClients.own(visit.account.id, clientIdOf(visit));
    if (client) page(visit, client);
    else refuse(visit, 404);
  };
}

/** The secrets, oldest first. When there are two, each has the word `older` or `newer`. */
export function agedSecrets({ account, parts }: Visit, { clientId }: OwnClient): AgedSecret[] {
  const secrets = parts.store.ownClients.secretsOf(account.id, clientId);
  const ages = secrets.length === 2 ? (['older', 'newer'] as const) : [];
  return secrets.map((secret, place) => ({ ...secret, age: ages[place] }));
}

const isKind = (kind: string) => /^(confidential|public)$/.test(kind);

function askForClient(visit: Visit, entries: Entries, problem?: string): void {
  const { name, uris } = entries;
  const kind = isKind(entries.kind) ? {} : { problem: 'Choose one of the two kinds.' };
  const problems = problemsOf({ name, kind, redirect_uris: uris });
  const title = 'New OAuth client';
  ask(visit, 'settings/client-new', { title, form: newForm(), ...entries, problems, problem });
}

const CREATED_BEFORE = {
  title: 'The client was already created',
  advice: 'You find it in the list. If you did not copy its secret, create another one on its page.',
};

function createClient(visit: Visit): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  const entries = readEntries(visit);
  const fields = fieldsOf(entries);
  if (!fields || !isKind(entries.kind)) return askForClient(visit, entries);
  const asked = { accountId: visit.account.id, form };
  const made = visit.parts.store.ownClients.create(asked, fields, entries.kind === 'confidential');
  if (made === 'full') return askForClient(visit, entries, TOO_MANY);
  if (made === 'used') return showAlready(visit, CREATED_BEFORE);
  const title = `“${fields.name}” is registered`;
  return showCreated(visit, 'settings/client-created', { title, ...made, issuer: visit.parts.issuer });
}

function showClient(visit: Visit, client: OwnClient, entries?: Entries): void {
  const name = entries?.name ?? { entered: client.name };
  const uris = entries?.uris ?? { entered: client.redirectUris.join('\n') };
  ask(visit, 'settings/client', {
    title: client.name,
    client,
    name,
    uris,
    problems: problemsOf({ name, redirect_uris: uris }),
    secrets: agedSecrets(visit, client),
    maxSecrets: MAX_SECRETS,
    issuer: visit.parts.issuer,
    agoOf,
    dateOf,
  });
}

function saveClient(visit: Visit, client: OwnClient): void {
  const entries = readEntries(visit);
  const fields = fieldsOf(entries);
  if (!fields) return showClient(visit, client, entries);
  visit.parts.store.ownClients.update(visit.account.id, client.clientId, fields);
  return goTo(visit, `/settings/api/clients/${client.clientId}`, 'client-saved');
}

function deleteClient(visit: Visit, { clientId }: OwnClient): void {
  visit.parts.store.ownClients.remove(visit.account.id, clientId);
  goTo(visit, '/settings/api', 'client-deleted');
}

/** The pages of OAuth clients. */
export function addClients(desk: SettingsRoutes): void {
  desk.get('/api/clients/new', (visit) => askForClient(visit, EMPTY));
  desk.post('/api/clients/new', createClient);
  desk.get('/api/clients/:id', withClient(showClient));
  desk.post('/api/clients/:id', withClient(saveClient));
  desk.get(
    '/api/clients/:id/delete',
    withClient((visit, client) =>
      show(visit, 'settings/client-delete', { title: `Delete the client “${client.name}”?`, client }),
    ),
  );
  desk.post('/api/clients/:id/delete', withClient(deleteClient));
}
