import { countKinds, type TokenKind } from '../../../store/reminders/mail-tokens.ts';
import { WAITING_STATES } from '../../../store/tables/tables.ts';
import { countTokensOf } from '../../../store/tokens/waiting-tokens.ts';
import type { RemindersDeps } from '../deps.ts';
import { dateFor } from '../../lifecycle/lifecycle.ts';
import { retirementOf } from '../../lifecycle/old-backend-for.ts';
import { type OldApiFacts, oldApiOfCall } from '../../lifecycle/old-api-status.ts';
import { standingOf } from '../../tokens/standing/standing.ts';
import type { DueStage, ReminderPerson } from '../people.ts';
import { holderIn } from './about-app.ts';
import type { Links } from './links.ts';
import type { LetterStage } from './stages.ts';

/** Counts the waiting tokens that are refused already: a date ends nothing for these tokens. */

/** The waiting tokens of one state and source stand alike. */
const KINDS: readonly TokenKind[] = WAITING_STATES.flatMap((state) =>
  (['imported', 'observed', 'issued', 'registration'] as const).map((source) => ({ state, source })),
);

/** The kinds of waiting tokens that neither API answers, whether the retirement of their app has come or not. */
function refusedKinds(oldApi: OldApiFacts): TokenKind[] {
  return KINDS.filter((kind) => {
    const { is } = standingOf({ ...kind, reason: null, oldApi });
    return is === 'refused' || is === 'stopped';
  });
}

/** Before the retirement. */
const refusedAnyway = ({ oldBackend }: RemindersDeps) =>
  refusedKinds({ phase: 'before', hasBackend: oldBackend !== undefined });

/** Whether all waiting tokens of an app are refused. A brownout is soon over, and no mail counts it. */
function areAllRefused(context: RemindersDeps, clientId: string): boolean {
  const oldApi = oldApiOfCall(retirementOf(context, clientId), context.oldBackend !== undefined);
  return refusedKinds(oldApi).length === KINDS.length;
}

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
  const kinds = refusedAnyway(context);
  const areAll = kinds.length === KINDS.length;
  const idsOf = (role: DueStage['role']) =>
    areAll ? [] : [...new Set(due.filter((one) => one.role === role).map(({ clientId }) => clientId))];
  const { durable } = context.store;
  const [held, owned] = [idsOf('holder'), idsOf('owner')];
  const none = new Map<string, number>();
  const counts = {
    holder:
      held.length === 0 ? none : await countKinds(durable, held, { kinds, holder: holderIn(person, links) }),
    owner: owned.length === 0 ? none : await countKinds(durable, owned, { kinds }),
  };
  const connected = await connectedApps(context, person);
  return due.map((one): LetterStage => {
    const waiting = one.part.role === 'holder' ? one.part.waiting : one.part.tokens.waiting;
    const counted = areAll ? waiting : (counts[one.role].get(one.clientId) ?? 0);
    const anyway = Math.min(counted, waiting);
    const refused = areAllRefused(context, one.clientId) ? waiting : anyway;
    const hasConnected = one.role === 'holder' && connected.has(one.clientId);
    return { ...one, refused, refusedAnyway: anyway, isOver: isOver(context, one), hasConnected };
  });
}
