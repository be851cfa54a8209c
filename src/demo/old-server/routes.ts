import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  sendOldAnswer,
  sendOldRefusal,
  sendToPages,
  UNKNOWN_ADDRESS,
  UNKNOWN_PROFILE,
  UNKNOWN_UPDATE,
} from './answers.ts';
import { calledAccount, bodyFields, requireToken } from './caller.ts';
import { createQueue, type OldQueue } from './queue.ts';
import type { OldAccount, OldRecord } from './settings.ts';

/** The addresses of the old API that old programs call most. It knows no other. */

const DEAUTHORIZED = { success: true, message: 'Access successfully revoked!' };
const DESTROYED = { success: true, message: 'Update deleted.' };

function profileOf(req: Request, res: Response): OldRecord | undefined {
  const profile = calledAccount(res).profiles.find(({ id }) => id === req.params['id']);
  if (!profile) sendOldRefusal(res, 404, UNKNOWN_PROFILE);
  return profile;
}

/** The texts of a list in a form: `name[]` or `name[0]`, repeated. */
function listOf(fields: Record<string, unknown>, name: string): string[] {
  const given = Object.entries(fields).filter(([key]) => key === name || key.startsWith(`${name}[`));
  return given.flatMap(([, value]) => value).filter((value) => typeof value === 'string');
}

function create(queue: OldQueue): RequestHandler {
  return (req, res) => {
    const { user, profiles } = calledAccount(res);
    const fields = bodyFields(req);
    const text = typeof fields['text'] === 'string' ? fields['text'] : '';
    const named = listOf(fields, 'profile_ids');
    const chosen = profiles.filter(({ id }) => named.includes(id));
    if (text === '' || chosen.length === 0) {
      const message = text === '' ? 'Please include some text.' : 'Please select at least one profile.';
      return sendOldAnswer(res, 400, { success: false, message, code: 1004 });
    }
    const updates = queue.add(user.id, text, chosen);
    const first = chosen[0]?.id ?? '';
    return sendOldAnswer(res, 200, {
      success: true,
      message: 'One more update in the queue.',
      buffer_count: queue.list(first, 'buffer').length,
      buffer_percentage: 10,
      updates,
    });
  };
}

/** A list of a profile. Nothing is ever sent, so the second one is empty. */
function listUpdates(queue: OldQueue, status: 'buffer' | 'sent'): RequestHandler {
  return (req, res) => {
    const profile = profileOf(req, res);
    if (!profile) return;
    const updates = queue.list(profile.id, status);
    sendOldAnswer(res, 200, { total: updates.length, updates });
  };
}

function destroy(queue: OldQueue): RequestHandler {
  return (req, res) => {
    const post = queue.find(String(req.params['id']), calledAccount(res).profiles);
    if (!post) return sendOldRefusal(res, 404, UNKNOWN_UPDATE);
    queue.remove(post);
    return sendOldAnswer(res, 200, DESTROYED);
  };
}

/** One token ends all that the account gave out, as it did at the old API. */
const deauthorize: RequestHandler = (_req, res) => {
  calledAccount(res).tokens.length = 0;
  sendOldAnswer(res, 200, DEAUTHORIZED);
};

const readProfile: RequestHandler = (req, res) => {
  const profile = profileOf(req, res);
  if (profile) sendOldAnswer(res, 200, profile);
};

const readSchedules: RequestHandler = (req, res) => {
  const profile = profileOf(req, res);
  if (profile) sendOldAnswer(res, 200, profile['schedules']);
};

function readUpdate(queue: OldQueue): RequestHandler {
  return (req, res) => {
    const post = queue.find(String(req.params['id']), calledAccount(res).profiles);
    if (post) sendOldAnswer(res, 200, post);
    else sendOldRefusal(res, 404, UNKNOWN_UPDATE);
  };
}

/** The answers to an account, by address. */
function handlersOf(queue: OldQueue): Array<[path: string, handler: RequestHandler]> {
  return [
    ['/1/user.json', (_req, res) => sendOldAnswer(res, 200, calledAccount(res).user)],
    ['/1/profiles.json', (_req, res) => sendOldAnswer(res, 200, calledAccount(res).profiles)],
    ['/1/profiles/:id.json', readProfile],
    ['/1/profiles/:id/schedules.json', readSchedules],
    ['/1/profiles/:id/updates/pending.json', listUpdates(queue, 'buffer')],
    ['/1/profiles/:id/updates/sent.json', listUpdates(queue, 'sent')],
    ['/1/updates/create.json', create(queue)],
    ['/1/updates/:id/destroy.json', destroy(queue)],
    ['/1/updates/:id.json', readUpdate(queue)],
    ['/1/user/deauthorize.json', deauthorize],
    ['/user/deauthorize', deauthorize],
  ];
}

/**
 * All addresses. An address comes before its token, as at the old API: an unknown one is unknown to everybody. A
 * deauthorize call takes the tokens from its account in `accounts`.
 */
export function createOldRoutes(accounts: readonly OldAccount[]): Router {
  const routes = Router({ caseSensitive: true, strict: true });
  const known = requireToken(accounts);
  routes.all('/1/links/shares.json', (req, res) => sendToPages(res, { shares: 0 }, req.query['callback']));
  routes.all('/1/info/configuration.json', (_req, res) =>
    sendOldAnswer(res, 200, { services: {}, media: {} }),
  );
  for (const [path, handler] of handlersOf(createQueue())) routes.all(path, known, handler);
  routes.use((_req, res) => sendOldRefusal(res, 404, UNKNOWN_ADDRESS));
  return routes;
}
