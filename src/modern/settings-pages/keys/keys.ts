import { type ApiKeyRecord, MAX_API_KEYS, type CreatedApiKey } from '../../store/api-keys.ts';
import { showAlready, showCreated } from '../clients/created.ts';
import type { SettingsRoutes } from '../desk.ts';
import { type FormEntry, formOf, newForm, readName } from '../entries.ts';
import { ask, problemsOf } from '../questions.ts';
import { goTo, refuse, show, type Visit } from '../visit.ts';

const TOO_MANY = `You have ${MAX_API_KEYS} keys, and no more are possible. Delete one that is not used any more first.`;

function askForName(visit: Visit, name: FormEntry<string>, problem?: string): void {
  const problems = problemsOf({ name });
  ask(visit, 'settings/key-new', { title: 'New API key', form: newForm(), name, problems, problem });
}

const CREATED_BEFORE = {
  title: 'The key was already created',
  advice: 'If you did not copy it, delete it and create another one.',
};
const REPLACED_BEFORE = {
  title: 'The key was already replaced',
  advice: 'If you did not copy the new one, replace it once more.',
};

/** Only this answer contains the key. */
const showKey = (visit: Visit, made: CreatedApiKey) =>
  showCreated(visit, 'settings/key', { title: 'Your new API key', ...made, baseUrl: visit.parts.issuer });

function createKey(visit: Visit): void {
  const form = formOf(visit);
  if (form === undefined) return refuse(visit, 400);
  const name = readName(visit);
  if (name.value === undefined) return askForName(visit, name);
  const made = visit.parts.store.apiKeys.create(visit.account.id, name.value, form);
  if (made === 'full') return askForName(visit, { entered: name.entered }, TOO_MANY);
  return made === 'used' ? showAlready(visit, CREATED_BEFORE) : showKey(visit, made);
}

const idOf = ({ req }: Visit) => String(req.params['id']);

/** The pages that explain the next action and ask for confirmation. */
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
  const made = visit.parts.store.apiKeys.replace(visit.account.id, idOf(visit), form);
  if (made === 'missing') return refuse(visit, 404);
  return made === 'used' ? showAlready(visit, REPLACED_BEFORE) : showKey(visit, made);
}

function deleteKey(visit: Visit): void {
  if (visit.parts.store.apiKeys.remove(visit.account.id, idOf(visit)))
    goTo(visit, '/settings/api', 'key-deleted');
  else refuse(visit, 404);
}

/** The pages of API keys. */
export function addKeyPages(desk: SettingsRoutes): void {
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
