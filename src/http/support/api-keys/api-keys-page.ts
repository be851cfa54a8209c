import type { Request, RequestHandler, Response, Router } from 'express';
import {
  API_KEY_ROLES,
  API_KEYS_LISTED,
  type ApiKeyFacts,
  canEnd,
  listApiKeys,
} from '../../../domain/api-keys/api-key-list.ts';
import { ApiKeyRefused, makeApiKey, type MadeApiKey } from '../../../domain/api-keys/make-api-key.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { newIdField, readNewId } from '../../site/new-id.ts';
import { callingOf } from '../../request-trace.ts';
import { fieldsOf, type PageShell } from '../../site/page-shell.ts';
import { askAgain, type FormProblems } from '../../site/problems.ts';
import { compareKeys, keysFrom, pageFrom } from '../../../shared/list-pages.ts';
import { readTable, type TableForm, type TableQuery } from '../../tables/table-query.ts';
import { tableView } from '../../tables/table-view.ts';
import { whoWords } from '../timeline/timeline-words.ts';
import { readerOf } from '../../site/reader.ts';
import { personOf } from '../../signin/session.ts';

/** /support/api-keys: the keys with which programs use the staff API, for leads. A new key is shown once. */

const NOBODY_NAMED = { names: new Map<string, string>(), holderId: undefined };

const STATES: Record<ApiKeyFacts['state'], { label: string; kind: string }> = {
  live: { label: 'live', kind: 'ok' },
  refused: { label: 'refused: its maker is no staff', kind: 'bad' },
  ended: { label: 'ended', kind: '' },
  expired: { label: 'expired', kind: '' },
};

const lineOf = (key: ApiKeyFacts) => ({
  id: key.id,
  name: key.name,
  role: key.role,
  // What a key may do follows its maker.
  mayNow: key.mayNow === key.role ? undefined : key.mayNow,
  state: STATES[key.state],
  canEnd: canEnd(key),
  endsAt: key.ended_at ?? key.expires_at,
  usedAt: key.last_used_at ?? undefined,
  madeAt: key.made_at,
  by: whoWords(key.made_by, NOBODY_NAMED),
});

type KeyTab = 'all' | 'live' | 'over';
type KeyQuery = TableQuery<KeyTab, 'newest'>;

const KEY_TABLE: TableForm<KeyTab, 'newest'> = { tabs: ['all', 'live', 'over'], sortsOf: () => ['newest'] };

const IN_TAB: Readonly<Record<KeyTab, (key: ApiKeyFacts) => boolean>> = {
  all: () => true,
  live: canEnd,
  over: (key) => !canEnd(key),
};

/** The first page, as a form that is shown again has it. */
const FIRST_PAGE: KeyQuery = { tab: 'all', sort: 'newest', find: undefined, position: undefined };

/** One page of the keys, the newest first. */
function pageOfKeys(all: readonly ApiKeyFacts[], query: KeyQuery) {
  const inTab = all.filter(IN_TAB[query.tab]);
  const keys = inTab.map((key) => ({ key, rank: -key.made_at, id: key.id })).toSorted(compareKeys('rising'));
  const page = pageFrom(keysFrom(keys, query.position, 'rising'), query.position);
  const isMore = all.length === API_KEYS_LISTED;
  const counts = KEY_TABLE.tabs.map(
    (tab) => [tab, { count: all.filter(IN_TAB[tab]).length, isMore }] as const,
  );
  const table = tableView(KEY_TABLE, query, {
    path: '/support/api-keys',
    label: 'API keys by state',
    tabLabels: { all: 'All', live: 'Live or refused', over: 'Ended or expired' },
    sortLabels: { newest: 'newest first' },
    counts: Object.fromEntries(counts.filter(([, { count }]) => count > 0)),
    shown: page.keys.length,
    before: keys.findIndex(({ id }) => id === page.keys[0]?.id),
    previous: page.previous,
    next: page.next,
  });
  return { table: { ...table, isCut: isMore }, keys: page.keys.map(({ key }) => lineOf(key)) };
}

interface KeyForm {
  problems?: FormProblems;
  fields?: Record<string, string>;
  query?: KeyQuery;
}

const MEANINGS: Record<StaffRole, string> = {
  reader: 'reader: it only reads',
  agent: 'agent: it also acts on tokens',
  lead: 'lead: it also changes apps and dates',
};

async function show(
  frame: PageShell,
  res: Response,
  { problems = {}, fields = {}, query = FIRST_PAGE }: KeyForm = {},
): Promise<void> {
  const all = await listApiKeys(frame.context);
  askAgain(frame, res, {
    template: 'support-api-keys',
    title: 'API keys',
    wide: true,
    hasKeys: all.length > 0,
    ...pageOfKeys(all, query),
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
  router.get('/support/api-keys', lead, async (req, res) =>
    show(frame, res, { query: readTable(req, KEY_TABLE) }),
  );
  router.post('/support/api-keys', lead, make(frame));
}
