import type { Request, RequestHandler, Response, Router } from 'express';
import { mayRegister } from '../../../domain/apps/may-register.ts';
import {
  type AppCredentials,
  registerApp,
  type RegistrationProblem,
  RegistrationRefused,
} from '../../../domain/apps/register-app.ts';
import { formTargets } from '../../signin/leave.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { dateLines, endOf } from '../../wording/dates/lines.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { ownerOrigin } from '../owned-app.ts';
import { newIdField, readNewId } from '../../site/new-id.ts';
import { askAgain, type FormProblems, quoted } from '../../site/problems.ts';

/**
 * GET and POST /apps/register. The secrets are in the answer to the form, this once, and in no address. The app's id is
 * made with the form, so that a reload of the answer finds the app already registered (new-id.ts).
 */

const A_MINUTE = 5;

/** The typed entries. */
interface Entries {
  name: string;
  callbacks: string;
  contacts: string;
}

const EMPTY: Entries = { name: '', callbacks: '', contacts: '' };

const lines = (text: string) =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Line breaks, commas and spaces separate addresses: no address contains these characters. */
const addresses = (text: string) => text.split(/[\s,;]+/).filter((address) => address !== '');

const FIELD_IDS = { name: 'name', callback: 'callbacks', contact: 'contacts', owner: 'form' };

function sentenceOf({ field, entry, text }: RegistrationProblem): string {
  if (field === 'owner') return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}, and you have them.`;
  return entry === undefined ? `Enter ${text}.` : `${quoted(entry)} ${text}.`;
}

function problemsOf({ problems }: RegistrationRefused): FormProblems {
  const found: FormProblems = {};
  for (const problem of problems) {
    const id = FIELD_IDS[problem.field];
    found[id] = found[id] === undefined ? sentenceOf(problem) : `${found[id]}\n${sentenceOf(problem)}`;
  }
  return found;
}

const DATE_NAMES = { retirement: 'Retirement', sunset: 'Sunset' } as const;

/** The dates of the old API, for a person about to build on the old API. */
const knownDates = ({ context }: PageShell) =>
  dateLines(appLifecycleNow(context)).map((line) => ({ ...line, name: DATE_NAMES[line.milestone] }));

/** The page for people without the right to register an app here. */
function showClosed(frame: PageShell, res: Response): void {
  const isByStaff = frame.context.settings.appRegistration === 'staff';
  const title = isByStaff ? 'Support registers apps here' : 'No more apps are registered here';
  const { accountId } = signedInPerson(res.req);
  const isSent = res.req.method === 'POST';
  const shown = { title, isByStaff, isSent, accountId, dates: knownDates(frame) };
  frame.page(res.status(403), 'register-closed', shown);
}

/**
 * Refuses people without the right to register an app. The refusal names the people with this right, and the way to use
 * instead.
 */
function onlyRegistrars(frame: PageShell): RequestHandler {
  return (_req, res, next) => (mayRegister(frame.context, roleIn(res)) ? next() : showClosed(frame, res));
}

function ask(
  frame: PageShell,
  res: Response,
  { entries, problems = {} }: { entries: Entries; problems?: FormProblems },
) {
  const newId = newIdField(frame.context, readerOf(res.req).id);
  const shown = { newId, dates: knownDates(frame), ended: endOf(appLifecycleNow(frame.context)), problems };
  askAgain(frame, res, {
    template: 'register',
    title: 'Register an app',
    unchanged: 'Nothing was registered.',
    ...entries,
    ...shown,
  });
}

const brakeOf = (req: Request) => ['registered apps', signedInPerson(req).accountId];

/** Whether this person registers faster than people do. If so, the form has been answered with the reason. */
function isTooFast(frame: PageShell, res: Response, entries: Entries): boolean {
  const { points, secondsLeft } = frame.context.counts.look(brakeOf(res.req));
  if (points < A_MINUTE) return false;
  res.status(429).set('Retry-After', String(secondsLeft));
  const form = `You have registered ${A_MINUTE} apps within a minute. Wait ${secondsLeft} seconds, then send the form again.`;
  ask(frame, res, { entries, problems: { form } });
  return true;
}

function showRegistered(
  frame: PageShell,
  res: Response,
  { name, ...registered }: AppCredentials & { name: string },
) {
  frame.context.counts.count(brakeOf(res.req));
  const targets = formTargets(frame.context.server.authorizationUrl);
  const title = `“${name}” is registered`;
  const { publicUrl } = frame.context.settings;
  const ended = endOf(appLifecycleNow(frame.context));
  frame.page(res, 'registered', { title, ...registered, name, publicUrl, ended, formTargets: targets });
}

function showKnown(frame: PageShell, res: Response, clientId: string): void {
  frame.page(res, 'once', {
    title: 'This app is registered already',
    reason:
      'The form was sent more than once. The app was registered the first time; its secret and token were shown then.',
    next: 'If you did not copy the secret, make a new one. With it the app can ask for another token.',
    href: `/apps/${clientId}/secrets`,
    label: 'Secrets of the app',
  });
}

interface RegistrationForm {
  entries: Entries;
  clientId: string;
}

async function register(
  frame: PageShell,
  res: Response,
  { entries, clientId }: RegistrationForm,
): Promise<AppCredentials | undefined> {
  const { accountId } = signedInPerson(res.req);
  return registerApp(frame.context, {
    name: entries.name,
    callbacks: lines(entries.callbacks),
    contacts: addresses(entries.contacts),
    owner: accountId,
    ...ownerOrigin(res),
    isSelfRegistered: true,
    clientId,
  });
}

function takeForm(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { name = '', callbacks = '', contacts = '', new_id: field } = fieldsOf(req);
    const entries = { name, callbacks, contacts };
    const clientId = readNewId(frame.context, readerOf(req).id, field);
    if (clientId === undefined)
      return ask(frame, res, { entries, problems: { form: 'The form was out of date. Send it once more.' } });
    if (isTooFast(frame, res, entries)) return;
    try {
      const registered = await register(frame, res, { entries, clientId });
      if (registered) showRegistered(frame, res, { ...registered, name: name.trim() });
      else showKnown(frame, res, clientId);
    } catch (error) {
      if (!(error instanceof RegistrationRefused)) throw error;
      ask(frame, res, { entries, problems: problemsOf(error) });
    }
  };
}

/** Adds the page for registering an app. */
export function registerRoutes(router: Router, frame: PageShell): void {
  const showForm: RequestHandler = (_req, res) => ask(frame, res, { entries: EMPTY });
  router.get('/apps/register', frame.requirePerson, onlyRegistrars(frame), showForm);
  router.post('/apps/register', onlyRegistrars(frame), takeForm(frame));
}
