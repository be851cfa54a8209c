import type { Request, RequestHandler, Response, Router } from 'express';
import { API_KEY_ROLES, type ApiKeyFacts, listApiKeys } from '../../../domain/api-keys/api-key-list.ts';
import { ApiKeyRefused, makeApiKey, type MadeApiKey } from '../../../domain/api-keys/make-api-key.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { newIdField, readNewId } from '../../site/new-id.ts';
import { callingOf } from '../../request-trace.ts';
import { fieldsOf, type PageShell } from '../../site/page-shell.ts';
import { askAgain, type FormProblems } from '../../site/problems.ts';
import { whoWords } from '../timeline/timeline-words.ts';
import { readerOf } from '../../site/reader.ts';
import { personOf } from '../../signin/session.ts';

/** /support/api-keys: the keys with which programs use the staff API, for leads. A new key is shown once. */

const NOBODY_NAMED = { names: new Map<string, string>(), holderId: undefined };

const STATES: Record<ApiKeyFacts['state'], { label: string; kind: string }> = {
  live: { label: 'live', kind: 'ok' },
  ended: { label: 'ended', kind: '' },
  expired: { label: 'expired', kind: '' },
};

const lineOf = (key: ApiKeyFacts) => ({
  id: key.id,
  name: key.name,
  role: key.role,
  state: STATES[key.state],
  isLive: key.state === 'live',
  endsAt: key.ended_at ?? key.expires_at,
  usedAt: key.last_used_at ?? undefined,
  madeAt: key.made_at,
  by: whoWords(key.made_by, NOBODY_NAMED),
});

interface KeyForm {
  problems?: FormProblems;
  fields?: Record<string, string>;
}

const MEANINGS: Record<StaffRole, string> = {
  reader: 'reader: it only reads',
  agent: 'agent: it also acts on tokens',
  lead: 'lead: it also changes apps and dates',
};

async function show(
  frame: PageShell,
  res: Response,
  { problems = {}, fields = {} }: KeyForm = {},
): Promise<void> {
  const keys = await listApiKeys(frame.context);
  askAgain(frame, res, {
    template: 'support-api-keys',
    title: 'API keys',
    wide: true,
    keys: keys.map(lineOf),
    roles: API_KEY_ROLES.map((role) => ({ role, label: MEANINGS[role] })),
    name: fields['name'] ?? '',
    role: fields['role'] ?? 'reader',
    days: fields['days'] ?? '90',
    newId: newIdField(frame.context, readerOf(res.req).id),
    problems,
  });
}

const OF_THE_COMPANY =
  'Staff whom the company signs in make no keys here, because a key would outlast their role. An operator makes one with the command api-keys make.';

const OUT_OF_DATE = { form: 'The form was out of date. Send it once more.' };

const SENT_TWICE = {
  title: 'The key was made already',
  reason: 'The form was sent more than once. The key was made the first time, and it was shown then.',
  next: 'If you did not copy it, end it and make another one.',
  href: '/support/api-keys',
  label: 'API keys',
};

async function keyIn({ context }: PageShell, req: Request, id: string): Promise<MadeApiKey | 'known'> {
  const { name = '', role: given, days = '' } = fieldsOf(req);
  const role = API_KEY_ROLES.find((one) => one === given);
  if (role === undefined) throw new ApiKeyRefused('Choose a role.');
  // The key does no more than its maker may do later, and the company is asked for a role at a sign-in alone.
  const accountId = personOf(req)?.accountId;
  if (accountId === undefined) throw new ApiKeyRefused(OF_THE_COMPANY);
  const origin = { actor: readerOf(req).actor, ...callingOf(req.res as Response) };
  return makeApiKey(context, { name, role, days: Number(days), accountId, id, ...origin });
}

function make(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const fields = fieldsOf(req);
    const id = readNewId(frame.context, readerOf(req).id, fields['new_id']);
    if (id === undefined) return show(frame, res, { problems: OUT_OF_DATE, fields });
    try {
      const made = await keyIn(frame, req, id);
      if (made === 'known') return frame.page(res, 'once', SENT_TWICE);
      const { key, expiresAt } = made;
      frame.page(res, 'support-api-key-made', { title: 'Your new API key', secret: key, expiresAt });
    } catch (error) {
      if (!(error instanceof ApiKeyRefused)) throw error;
      await show(frame, res, { problems: { form: error.message }, fields });
    }
  };
}

/** Adds /support/api-keys. */
export function apiKeyRoutes(router: Router, frame: PageShell): void {
  const lead = frame.requireRole('lead');
  router.get('/support/api-keys', lead, async (_req, res) => show(frame, res));
  router.post('/support/api-keys', lead, make(frame));
}
