import type { Phase } from '../../../domain/lifecycle/old-api-status.ts';
import { areAllOver, type StateCounts } from '../../../domain/tokens/states-of-app.ts';
import { counted } from '../../wording/words.ts';

/** What support does first on the page of an app: a pure function. */

interface AppFacts {
  /** The address of the page. */
  path: string;
  counts: StateCounts;
  phase: Phase;
  hasOldApi: boolean;
  isRetired: boolean;
  isUnidentified: boolean;
  /** Whether the app has its own client at the new API. */
  hasClient: boolean;
  /** Hand-overs that the app has still to confirm. */
  awaited: number;
  /** Whether there may be more of them. */
  isAwaitedPart?: boolean | undefined;
  /** Whether the app called the old API in the last 30 days. */
  hasCalled: boolean;
  /** Who the owner is, as far as known, with the page of a proven owner. */
  owner: string | undefined;
  ownerHref: string | undefined;
}

interface NextStep {
  kind: 'error' | 'warning' | '';
  /** How the app stands. */
  says: string;
  todo: string;
  link?: { label: string; href: string } | undefined;
}

type Rule = (facts: AppFacts) => NextStep | undefined;

const tokensLink = ({ path }: AppFacts, label: string, tab: 'stopped' | 'waiting') => ({
  label,
  href: `${path}?show=${tab}#tokens`,
});

const ownerWords = ({ owner }: AppFacts) =>
  owner === undefined ? 'its owner (nobody is known)' : 'its owner';

const ownerLink = ({ ownerHref }: AppFacts) =>
  ownerHref === undefined ? undefined : { label: 'See its owner', href: ownerHref };

const are = (count: number) => (count === 1 ? 'is' : 'are');

const notConfirmed = ({ awaited, isAwaitedPart = false }: AppFacts) =>
  `${isAwaitedPart ? 'At least ' : ''}${counted(awaited, 'hand-over')} ${are(awaited)} not confirmed`;

function ofRetired(facts: AppFacts): NextStep | undefined {
  if (!facts.isRetired) return undefined;
  const handovers = facts.awaited === 0 ? '' : ` ${notConfirmed(facts)}: a retired app cannot confirm.`;
  return {
    kind: '',
    says: 'The app is retired: its tokens are refused.',
    todo: `Nothing to do here.${handovers}`,
  };
}

function ofEmpty({ counts }: AppFacts): NextStep | undefined {
  if (Object.values(counts).some((count) => count > 0)) return undefined;
  return { kind: '', says: 'The app has no token.', todo: 'Nothing to do until somebody connects it.' };
}

function ofOver(facts: AppFacts): NextStep | undefined {
  if (!areAllOver(facts.counts)) return undefined;
  const says = 'All its tokens have moved or were revoked.';
  if (!facts.hasCalled) return { kind: '', says, todo: 'Nothing to do.' };
  const todo = `But in the last 30 days its programs called the old API. If that goes on, tell ${ownerWords(facts)}.`;
  return { kind: '', says, todo, link: ownerLink(facts) };
}

function ofUnconfirmed(facts: AppFacts): NextStep | undefined {
  if (facts.awaited === 0) return undefined;
  return {
    kind: 'warning',
    says: `${notConfirmed(facts)} yet.`,
    todo: `Ask ${ownerWords(facts)} to let the app confirm, once it has stored the new tokens.`,
    link: { label: 'See since when', href: '/support/desks/hand-overs' },
  };
}

/** Where connecting helps no more a hand-over comes first; before that, people whose calls are refused do. */
const ofUnconfirmedAtLast: Rule = (facts) =>
  facts.phase === 'ended' || ofOver(facts) ? ofUnconfirmed(facts) : undefined;

function ofEnded(facts: AppFacts): NextStep | undefined {
  if (facts.phase !== 'ended') return undefined;
  const todo = `Connecting helps no more. Tell ${ownerWords(facts)} that its programs have to call the new API.`;
  return { kind: 'warning', says: 'The old API has ended for this app.', todo, link: ownerLink(facts) };
}

function ofUnidentified(facts: AppFacts): NextStep | undefined {
  if (!facts.isUnidentified) return undefined;
  return {
    kind: '',
    says: 'Nobody registered this program.',
    todo: 'When you find out which app a token belongs to, open the token and assign it.',
    link: { label: 'See its tokens', href: `${facts.path}#tokens` },
  };
}

function ofStopped(facts: AppFacts): NextStep | undefined {
  const count = facts.counts.reauthorization_required ?? 0;
  if (count === 0) return undefined;
  return {
    kind: 'error',
    says: `${counted(count, 'token')} ${count === 1 ? 'has' : 'have'} stopped: ${count === 1 ? 'its calls are' : 'their calls are'} refused.`,
    todo: 'Only a holder can connect again. Open a token to make its holder a link.',
    link: tokensLink(facts, 'See what has stopped', 'stopped'),
  };
}

function ofWaiting(facts: AppFacts): NextStep | undefined {
  const count = facts.counts.unmapped ?? 0;
  if (count === 0) return undefined;
  const meanwhile = facts.hasOldApi ? 'the old API still answers those that it made' : 'refused until then';
  const client = `Ask ${ownerWords(facts)} to enter the app’s own client first: what people connect before that cannot be handed over.`;
  return {
    kind: 'warning',
    says: `${counted(count, 'token')} ${are(count)} not connected yet (${meanwhile}).`,
    todo: `${facts.hasClient ? '' : `${client} `}Then each holder connects once: open a token to send a reminder or to make a link.`,
    link: tokensLink(facts, 'See what waits', 'waiting'),
  };
}

function ofConnected(facts: AppFacts): NextStep {
  const todo = facts.hasClient
    ? `Nothing for you: the next step, the hand-over, is for ${ownerWords(facts)}.`
    : `Nothing for you: the next step is for ${ownerWords(facts)}, who enters the app’s own client.`;
  return { kind: '', says: 'No token waits or has stopped.', todo, link: ownerLink(facts) };
}

/** The first that fits decides. */
const RULES: readonly Rule[] = [
  ofRetired,
  ofUnconfirmedAtLast,
  ofEmpty,
  ofOver,
  ofEnded,
  ofUnidentified,
  ofStopped,
  ofUnconfirmed,
  ofWaiting,
];

/** How an app stands and what support does first. */
export function nextStepOfApp(facts: AppFacts): NextStep {
  for (const rule of RULES) {
    const step = rule(facts);
    if (step) return step;
  }
  return ofConnected(facts);
}
