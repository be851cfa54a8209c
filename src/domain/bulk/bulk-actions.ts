import { DEEDS_KEPT } from '../../shared/lifetimes.ts';
import { mappingsWith } from '../../store/support/support-search.ts';
import type { BulkAction } from '../../store/tables/api-keys.ts';
import { WAITING_STATES } from '../../store/tables/tables.ts';
import type { StaffRole } from '../accounts/staff.ts';
import { endExtension, extendApp } from '../lifecycle/changes/extend-app.ts';
import type { Milestone } from '../lifecycle/lifecycle.ts';
import type { Origin } from '../origin.ts';
import { mappingTarget } from '../support/actions/actions.ts';
import { makeLink } from '../support/make-link.ts';
import { takeDeedBack } from '../take-back/take-back.ts';
import { assignByHand } from '../tokens/assign-token.ts';
import { ASSIGNMENT_LEFT } from '../tokens/left-to-staff.ts';
import { TOO_LATE } from '../tokens/standing/words.ts';
import type { BulkDeps } from './deps.ts';

/** What can be asked for many things at once. Each item is the use case of the page and the command. */

/** What holds for all items of a job. */
export interface BulkInput {
  clientId?: string;
  date?: Milestone;
  until?: number;
}

export interface BulkItem {
  subject: string;
  input: BulkInput;
  reason: string;
  origin: Origin;
}

/** What came of an item: done with its facts, or refused with the reason. */
export type BulkOutcome =
  | { is: 'done'; facts: Record<string, string | number | null> }
  | { is: 'refused'; why: string };

interface BulkActionRules {
  needs: StaffRole;
  run(context: BulkDeps, item: BulkItem): Promise<BulkOutcome>;
  /** Takes an item back by its facts. Undefined where nothing is to be taken back. */
  undo?(context: BulkDeps, item: BulkItem, facts: Record<string, unknown>): Promise<BulkOutcome>;
}

const refused = (why: string): BulkOutcome => ({ is: 'refused', why });

const extensionOf = ({ subject, input: { date: name = 'retirement' }, reason, origin }: BulkItem) => ({
  clientId: subject,
  name,
  reason,
  ...origin,
});

/** The one way to take an action back. A job has its own time for it. Items of earlier versions name no deed. */
async function undoDeed(context: BulkDeps, { reason, origin }: BulkItem, deed: string): Promise<BulkOutcome> {
  await takeDeedBack(context, deed, { reason, ...origin, within: DEEDS_KEPT });
  return { is: 'done', facts: {} };
}

const extendApps: BulkActionRules = {
  needs: 'lead',
  async run(context, item) {
    const until = item.input.until ?? 0;
    const { before, deed } = await extendApp(context, { ...extensionOf(item), until });
    return { is: 'done', facts: { before: before ?? null, deed } };
  },
  // Only while the extension is the one that the job gave.
  async undo(context, item, { before, deed }) {
    if (typeof deed === 'string') return undoDeed(context, item, deed);
    const asked = { ...extensionOf(item), seen: { until: item.input.until } };
    if (typeof before === 'number') await extendApp(context, { ...asked, until: before });
    // As where a deed is taken back: the app has the time that it had before.
    else await endExtension(context, { ...asked, isForced: true });
    return { is: 'done', facts: {} };
  },
};

const ASSIGN_WORDS = {
  'unknown token': 'No token has this id.',
  'unknown app': 'No app that was registered or imported has this client id.',
  identified: 'The token belongs to a proven app.',
  final: 'The token has ended.',
  'left to staff': ASSIGNMENT_LEFT,
} as const;

async function assignTo(
  context: BulkDeps,
  { subject: mappingId, reason, origin }: BulkItem,
  to: { clientId: string; from?: string },
): Promise<BulkOutcome> {
  const before = await mappingTarget(context, mappingId);
  const answer = await assignByHand(context, { mappingId, ...to, reason, ...origin });
  if (answer.outcome !== 'assigned') return refused(ASSIGN_WORDS[answer.outcome]);
  return { is: 'done', facts: { from: before?.clientId ?? null, deed: answer.deed ?? null } };
}

const assignTokens: BulkActionRules = {
  needs: 'agent',
  run: (context, item) => assignTo(context, item, { clientId: item.input.clientId ?? '' }),
  async undo(context, item, { from, deed }) {
    if (typeof deed === 'string') return undoDeed(context, item, deed);
    if (typeof from !== 'string') return refused('Nobody knows from which app it came.');
    return assignTo(context, item, { clientId: from, from: item.input.clientId ?? '' });
  },
};

async function waitingToken(context: BulkDeps, { subject, input }: BulkItem): Promise<string | undefined> {
  const pair = { client_id: input.clientId ?? '', account_id: subject };
  for (const state of WAITING_STATES) {
    const [newest] = await mappingsWith(context.store.durable, { ...pair, state }, 1);
    if (newest) return newest.id;
  }
  return undefined;
}

const makeLinks: BulkActionRules = {
  needs: 'agent',
  async run(context, item) {
    const mappingId = await waitingToken(context, item);
    if (mappingId === undefined) return refused('No token of this account and app waits.');
    const made = await makeLink(context, { mappingId, reason: item.reason, ...item.origin });
    if (made.outcome === 'too late') return refused(TOO_LATE);
    return made.outcome === 'made'
      ? { is: 'done', facts: { link: made.link } }
      : refused('Nothing waits there.');
  },
};

export const BULK_ACTIONS: Readonly<Record<BulkAction, BulkActionRules>> = {
  extend_apps: extendApps,
  assign_tokens: assignTokens,
  make_links: makeLinks,
};
