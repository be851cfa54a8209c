import { type ApiKeyRecord, MAX_API_KEYS, type NewKey } from '../store/api-keys.ts';
import type { Desk } from './desk.ts';
import { type Entry, formOf, newForm, readName } from './entries.ts';
import { goTo, refuse, show, type Visit } from './visit.ts';

const TOO_MANY = `You have ${MAX_API_KEYS} keys, and no more are possible. Delete one that is not used any more first.`;

function askForName(visit: Visit, { entered, problem }: Entry<string>): void {
  if (problem !== undefined) visit.res.status(422);
  show(visit, 'settings/key-new', { title: 'New API key', form: newForm(), name: entered, problem });
}

/** The one answer that contains the key; nobody can ask for it again. */
function showKey(visit: Visit, outcome: NewKey): void {
  if (outcome === 'full') return askForName(visit, { entered: '', problem: TOO_MANY });
  if (outcome === 'missing') return refuse(visit, 404);
  if (outcome === 'used') {
    visit.res.status(409);
    return show(visit, 'settings/already', { title: 'The key was already created', what: 'key' });
  }
  return show(visit, 'settings/key', { title: 'Your new API key', ...outcome, baseUrl: visit.parts.issuer });
}

function createKey(visit: Visit): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  const name = readName(visit);
  if (name.value === undefined) return askForName(visit, name);
  return showKey(visit, visit.parts.store.apiKeys.create(visit.account.id, name.value, form));
}

const idOf = ({ req }: Visit) => String(req.params['id']);

/** The pages that say what will happen, before it does. */
function confirm(template: string, titleOf: (key: ApiKeyRecord) => string) {
  return (visit: Visit): void => {
    const key = visit.parts.store.apiKeys.own(visit.account.id, idOf(visit));
    if (key) show(visit, template, { title: titleOf(key), key, form: newForm() });
    else refuse(visit, 404);
  };
}

function replaceKey(visit: Visit): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  return showKey(visit, visit.parts.store.apiKeys.replace(visit.account.id, idOf(visit), form));
}

function deleteKey(visit: Visit): void {
  if (visit.parts.store.apiKeys.remove(visit.account.id, idOf(visit)))
    goTo(visit, '/settings/api', 'key-deleted');
  else refuse(visit, 404);
}

/** API keys (specification 5.1). */
export function addKeys(desk: Desk): void {
  desk.get('/api/keys/new', (visit) => askForName(visit, { entered: '' }));
  desk.post('/api/keys/new', createKey);
  desk.get(
    '/api/keys/:id/replace',
    confirm('settings/key-replace', ({ name }) => `Replace the key “${name}”?`),
  );
  desk.post('/api/keys/:id/replace', replaceKey);
  desk.get(
    '/api/keys/:id/delete',
    confirm('settings/key-delete', ({ name }) => `Delete the key “${name}”?`),
  );
  desk.post('/api/keys/:id/delete', deleteKey);
}
