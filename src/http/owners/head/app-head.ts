import type { AppAccess } from '../../../domain/apps/app-access.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { type AppState, appStateNow } from '../../../domain/tokens/app-state.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { STATE_COLOURS, type StateColour } from '../../wording/colours.ts';
import type { OwnersDeps } from '../deps.ts';
import { type NextChange, nextChange } from './next-change.ts';

/**
 * The head of every page of one app, for those who may see all of the app: its name, state, client id and next date, and
 * the ways to its other pages. The head is the same on each page; its cost does not depend on the number of tokens.
 */

interface StateBadge {
  word: string;
  kind: StateColour;
  /** The same in a sentence, for people who hear the page. */
  says: string;
}

const STATES: Readonly<Record<AppState, StateBadge>> = {
  waiting: { word: 'waiting', kind: STATE_COLOURS.unmapped, says: 'Some of its tokens were never connected' },
  'partly-stopped': {
    word: 'some stopped',
    kind: STATE_COLOURS.reauthorization_required,
    says: 'Some of its tokens have stopped: their calls are refused',
  },
  stopped: {
    word: 'stopped',
    kind: STATE_COLOURS.reauthorization_required,
    says: 'None of its tokens works any more',
  },
  connected: { word: 'connected', kind: STATE_COLOURS.active, says: 'No token waits' },
  moved: { word: 'moved', kind: STATE_COLOURS.migrated, says: 'Its tokens have moved to the new API' },
  revoked: { word: 'revoked', kind: STATE_COLOURS.revoked, says: 'All its tokens are revoked' },
  none: { word: 'no token yet', kind: 'muted', says: 'Nobody has connected it' },
};

const SHARED: Readonly<Record<AppAccess, string | undefined>> = {
  owner: undefined,
  read: 'Shared with you: you may see it',
  manage: 'Shared with you: you may manage it',
};

/** The tabs, in their order, with the words of each and the end of its address. */
const TABS = [
  ['overview', 'Overview', ''],
  ['tokens', 'Tokens', '/tokens'],
  ['calls', 'Calls', '/calls'],
  ['live', 'Is it me?', '/live'],
  ['move', 'Move', '/move'],
  ['new-calls', 'New calls', '/new-calls'],
  ['rehearse', 'Rehearsal', '/rehearse'],
  ['secrets', 'Secrets', '/secrets'],
  ['modern-client', 'Own client', '/modern-client'],
  ['contacts', 'Contacts', '/contacts'],
  ['webhooks', 'Webhooks', '/webhooks'],
] as const;

export type AppTab = (typeof TABS)[number][0];

export interface AppHead {
  tab: AppTab;
  name: string;
  clientId: string;
  state: StateBadge;
  /** Whether all its tokens have moved or were revoked. */
  isOver: boolean;
  next: NextChange;
  /** For a contact: what the contact may do. */
  shared: string | undefined;
  tabs: Array<{ label: string; href: string; isCurrent: boolean }>;
}

interface HeadSubject {
  app: { client_id: string; name: string };
  access: AppAccess;
}

/** Only the owner has the page of secrets. */
function tabsFor({ app, access }: HeadSubject, tab: AppTab): AppHead['tabs'] {
  return TABS.filter(([id]) => id !== 'secrets' || access === 'owner').map(([id, label, end]) => ({
    label,
    href: `/apps/${app.client_id}${end}`,
    isCurrent: id === tab,
  }));
}

/** The data that every page of an app has, whichever of its tabs it is. */
export async function underHead<Subject extends HeadSubject>(
  context: OwnersDeps,
  { app, access }: Subject,
  tab: AppTab,
): Promise<{ wide: true; app: Subject['app']; access: AppAccess; head: AppHead }> {
  const asOf = appLifecycleNow(context, app.client_id);
  const state = await appStateNow(context, app.client_id, oldApiStatusOf(asOf).phase);
  const head = {
    tab,
    name: app.name,
    clientId: app.client_id,
    state: STATES[state],
    isOver: state === 'moved' || state === 'revoked',
    next: nextChange(asOf, state),
    shared: SHARED[access],
    tabs: tabsFor({ app, access }, tab),
  };
  return { wide: true, app, access, head };
}

/** The same for a page that also shows people their own tokens; they get no head. */
export async function headFor(
  context: OwnersDeps,
  { app, access }: { app: HeadSubject['app']; access: AppAccess | undefined },
  tab: AppTab,
): Promise<{ wide?: true; head?: AppHead }> {
  if (access === undefined) return {};
  const { wide, head } = await underHead(context, { app, access }, tab);
  return { wide, head };
}
