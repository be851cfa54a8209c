import { countRefused } from '../../../store/reminders/mail-tokens.ts';
import { countTokensOf } from '../../../store/tokens/waiting-tokens.ts';
import type { RemindersDeps } from '../deps.ts';
import { dateFor } from '../../lifecycle/lifecycle.ts';
import { oldBackendUntilRetired } from '../../lifecycle/old-backend-for.ts';
import type { DueStage, ReminderPerson } from '../people.ts';
import { holderIn } from './about-app.ts';
import type { Links } from './links.ts';
import type { LetterStage } from './stages.ts';

/**
 * Counts the tokens that are refused already: a date ends nothing for these tokens. Until the retirement, the old API
 * answers for tokens that are older than the bridge. Without the old API, every waiting token is refused.
 */

function isOver({ lifecycle, clock }: RemindersDeps, { clientId }: DueStage): boolean {
  return (dateFor(lifecycle.current(), 'sunset', clientId) ?? Infinity) <= clock.now();
}

/** The apps at which a person has a connected token. */
async function connectedApps(
  { store }: RemindersDeps,
  { accountId }: ReminderPerson,
): Promise<ReadonlySet<string>> {
  if (accountId === undefined) return new Set();
  const known = await countTokensOf(store.durable, { accountId });
  return new Set(known.filter(({ state }) => state === 'active').map(({ client_id }) => client_id));
}

/** The due reminders, with the number of tokens of each part that are refused at this moment. */
export async function withRefused(
  context: RemindersDeps,
  { person, links }: { person: ReminderPerson; links: Links },
  due: readonly DueStage[],
): Promise<LetterStage[]> {
  const idsOf = (role: DueStage['role']) =>
    context.oldBackend === undefined
      ? []
      : [...new Set(due.filter((one) => one.role === role).map(({ clientId }) => clientId))];
  const { durable } = context.store;
  const [held, owned] = [idsOf('holder'), idsOf('owner')];
  const none = new Map<string, number>();
  const counts = {
    holder: held.length === 0 ? none : await countRefused(durable, held, holderIn(person, links)),
    owner: owned.length === 0 ? none : await countRefused(durable, owned, undefined),
  };
  const connected = await connectedApps(context, person);
  return due.map((one): LetterStage => {
    const waiting = one.part.role === 'holder' ? one.part.waiting : one.part.tokens.waiting;
    const counted = context.oldBackend ? (counts[one.role].get(one.clientId) ?? 0) : waiting;
    const refusedAnyway = Math.min(counted, waiting);
    const refused = oldBackendUntilRetired(context, one.clientId) ? refusedAnyway : waiting;
    const hasConnected = one.role === 'holder' && connected.has(one.clientId);
    return { ...one, refused, refusedAnyway, isOver: isOver(context, one), hasConnected };
  });
}
