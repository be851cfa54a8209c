import type { Request, RequestHandler, Response, Router } from 'express';
import {
  CHOSEN_SCOPES,
  type ClientRefusal,
  enteredClientOf,
  enterModernClient,
  type RemovalResult,
  removeModernClient,
} from '../../../domain/handover/enter-modern-client.ts';
import {
  decideHandovers,
  ownClientsOf,
  retireModernSecret,
} from '../../../domain/handover/former-clients.ts';
import { Unavailable } from '../../../domain/failures.ts';
import { callbackPathOf } from '../../../domain/grants/modern-client.ts';
import type { Origin } from '../../../domain/origin.ts';
import { scopeLines } from '../../signin/scope-words.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { hasEnded } from '../connect/linked-app.ts';
import { CONNECT_THERE } from '../move/checklist.ts';
import { underHead } from '../head/app-head.ts';
import {
  type AppForOwner,
  noAppOfYours,
  ownedApp,
  ownerOrigin,
  seenApp,
  type SeenApp,
} from '../owned-app.ts';
import { askAgain, type FormProblems } from '../../site/problems.ts';

/**
 * /apps/:clientId/modern-client: the app's own client at the new API. The page accepts the secret and never shows it.
 */

const A_MINUTE = 10;

/** The entries as the person typed them. The secret is not shown again, not even beside a problem. */
interface Entries {
  modernClientId: string;
  scopes: readonly string[];
  keepsHandovers: boolean;
}

interface ClientPageInput {
  seen: SeenApp;
  entries?: Entries;
  problems?: FormProblems;
}

/** The scopes to choose from. An app without a client starts with the scopes of the bridge's own consents. */
function choices(chosen: readonly string[]) {
  return CHOSEN_SCOPES.map((scope) => ({
    scope,
    words: scopeLines(scope)[0],
    isChosen: chosen.includes(scope),
  }));
}

async function show(
  frame: PageShell,
  res: Response,
  { seen, entries, problems = {} }: ClientPageInput,
): Promise<void> {
  const { app, access } = seen;
  const { publicUrl, scopes } = frame.context.settings;
  const entered = await enteredClientOf(frame.context, app.client_id);
  const clients = await ownClientsOf(frame.context, app.client_id);
  const isOver = hasEnded(frame.context, app.client_id);
  const shown = entries ?? {
    modernClientId: entered?.id ?? '',
    scopes: entered?.scopes ?? scopes.split(' '),
    keepsHandovers: false,
  };
  askAgain(frame, res, {
    template: 'modern-client',
    title: `“${app.name}” under its own name`,
    ...(await underHead(frame.context, seen, 'modern-client')),
    mayChange: access === 'owner',
    connectThere: isOver ? CONNECT_THERE : undefined,
    // Where no own client made a connection, none that is entered now can take one.
    isEnteredInVain: isOver && clients.length === 0,
    callback: publicUrl + callbackPathOf(app.client_id, false),
    publicCallback: publicUrl + callbackPathOf(app.client_id, true),
    entered,
    secret: clients.find(({ isInUse }) => isInUse)?.secret,
    former: clients.filter(({ isInUse }) => !isInUse),
    modernClientId: shown.modernClientId,
    scopes: choices(shown.scopes),
    keepsHandovers: shown.keepsHandovers,
    problems,
  });
}

const REFUSALS: Readonly<
  Record<Exclude<ClientRefusal['at'], 'authorization' | 'other owner'>, [field: string, text: string]>
> = {
  'client id': ['modern_client_id', 'Enter the client ID as it stands on your account page, without spaces.'],
  'client secret': [
    'client_secret',
    'The client secret is too long, or has spaces or letters that no secret has.',
  ],
  'retired secret': [
    'client_secret',
    'This secret was retired here. Make a new one for the client on your account page, and enter that.',
  ],
  'bridge client': ['modern_client_id', 'This is the client of this service itself. Enter one of your own.'],
  'other app': ['modern_client_id', 'Another app has this client already. Register one for this app alone.'],
  'unknown app': ['form', 'This app is not registered any more.'],
  'other client in use': [
    'form',
    'Nothing was changed: the app uses another client than when you opened the form, or none. This page shows how it is now.',
  ],
  'writes in doubt': [
    'form',
    'Nothing was changed: of posts that were sent by the client in use it is not known yet whether they are there. Try again in ten minutes. Its secret can be retired at once.',
  ],
  credentials: [
    'client_secret',
    'Client ID and client secret do not belong together. Check both; only a public client has no secret.',
  ],
  callback: [
    'modern_client_id',
    'This client does not have the redirect URI below that is meant for its kind. Add it to the client first.',
  ],
};

/** @throws {PageError} the app was given to another account during the test call */
function problemsOf(refusal: ClientRefusal): FormProblems {
  if (refusal.at === 'other owner') throw noAppOfYours();
  if (refusal.at !== 'authorization') return Object.fromEntries([REFUSALS[refusal.at]]);
  if (refusal.error === 'invalid_scope')
    return { scopes: 'The client may not ask for all of these rights. Choose fewer.' };
  return { form: `The account page refused this client with “${refusal.error}”. Nothing was changed.` };
}

/** Each test is a call to the new API, which has limits of its own. */
function tooFast({ context }: PageShell, res: Response): FormProblems | undefined {
  const { points, secondsLeft } = context.counts.count(['client tests', signedInPerson(res.req).accountId]);
  if (points <= A_MINUTE) return undefined;
  res.status(429).set('Retry-After', String(secondsLeft));
  return {
    form: `The client was tested often within a minute. Wait ${secondsLeft} seconds, then try again.`,
  };
}

const UNTESTED: FormProblems = {
  form: 'The client could not be tested, for the account page did not answer. Nothing was changed. Try again in a minute.',
};

/** @throws never for an answer of the new API: the answer becomes a problem of the form */
async function enter(
  frame: PageShell,
  res: Response,
  entered: { app: AppForOwner; entries: Entries },
): Promise<FormProblems> {
  const { seen_client: seenClient = '', client_secret: secret = '' } = fieldsOf(res.req);
  const clientSecret = secret.trim();
  const refusal = await enterModernClient(frame.context, {
    clientId: entered.app.client_id,
    ownerId: signedInPerson(res.req).accountId,
    ...entered.entries,
    seenClient,
    clientSecret: clientSecret === '' ? undefined : clientSecret,
    ...ownerOrigin(res),
  });
  return refusal ? problemsOf(refusal) : {};
}

/** Hand-overs to a client end when the app no longer uses the client, unless the box is ticked. */
const keepsHandovers = (req: Request) => fieldsOf(req)['keep_handovers'] !== undefined;

function takeForm(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const seen = await ownedApp(frame.context, req);
    const { app } = seen;
    const fields = fieldsOf(req);
    const modernClientId = (fields['modern_client_id'] ?? '').trim();
    const scopes = CHOSEN_SCOPES.filter((scope) => fields[scope] !== undefined);
    const entries = { modernClientId, scopes, keepsHandovers: keepsHandovers(req) };
    const problems =
      tooFast(frame, res) ??
      (await enter(frame, res, { app, entries }).catch((error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        res.status(503);
        return UNTESTED;
      }));
    if (Object.keys(problems).length > 0) return show(frame, res, { seen, entries, problems });
    const href = `/apps/${app.client_id}/modern-client`;
    const notice = hasEnded(frame.context, app.client_id) ? 'client-in-use' : 'client-entered';
    leaveWith(frame.context, res, { href, notice });
  };
}

/** A decision of the owner about a client. The decision is made at most once, however often its form is sent. */
function decide(
  frame: PageShell,
  act: (req: Request, decision: Origin & { clientId: string }) => Promise<string>,
): RequestHandler {
  return async (req, res) => {
    const { app } = await ownedApp(frame.context, req);
    const notice = await act(req, { clientId: app.client_id, ...ownerOrigin(res) });
    leaveWith(frame.context, res, { href: `/apps/${app.client_id}/modern-client`, notice });
  };
}

const REMOVED: Readonly<Record<RemovalResult, string>> = {
  removed: 'client-removed',
  'not in use': 'too-late',
  'writes in doubt': 'client-in-doubt',
};

const namedClient = (req: Request) => fieldsOf(req)['modern_client_id'] ?? '';

/** Adds the page for an app's own client. */
export function modernClientRoutes(router: Router, frame: PageShell): void {
  const { context } = frame;
  const path = '/apps/:clientId/modern-client';
  const showClient: RequestHandler = async (req, res) =>
    show(frame, res, { seen: await seenApp(frame.context, req) });
  const remove = decide(frame, async (req, app) => {
    const removal = { ...app, modernClientId: namedClient(req), keepsHandovers: keepsHandovers(req) };
    return REMOVED[await removeModernClient(context, removal)];
  });
  const changeHandovers = decide(frame, async (req, app) => {
    const goOn = keepsHandovers(req);
    const isDecided = await decideHandovers(context, { ...app, modernClientId: namedClient(req) }, goOn);
    return isDecided ? (goOn ? 'handovers-kept' : 'handovers-ended') : 'too-late';
  });
  const retireSecret = decide(frame, async (req, app) => {
    const isRetired = await retireModernSecret(context, { ...app, modernClientId: namedClient(req) });
    return isRetired ? 'client-secret-retired' : 'too-late';
  });
  router.get(path, frame.requirePerson, showClient);
  router.post(path, takeForm(frame));
  router.post(`${path}/remove`, remove);
  router.post(`${path}/handovers`, changeHandovers);
  router.post(`${path}/retire-secret`, retireSecret);
}
