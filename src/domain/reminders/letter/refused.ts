import { countRefused } from '../../../store/mail-tokens.ts';
import type { Context } from '../../context.ts';
import { oldBackendUntilRetired } from '../../old-backend-for.ts';
import type { Due, Person } from '../people.ts';
import { holderIn } from './about-app.ts';
import type { Links } from './links.ts';
import type { Told } from './stages.ts';

/**
 * Which tokens a date takes nothing from: those that are refused already. An old backend answers for those that are older
 * than the bridge until the retirement; without one everything that waits is refused.
 */

/** What is due, with how many tokens of each part are refused at this moment. */
export async function withRefused(
  context: Context,
  { person, links }: { person: Person; links: Links },
  due: readonly Due[],
): Promise<Told[]> {
  const hasWay = ({ clientId }: Due) => oldBackendUntilRetired(context, clientId) !== undefined;
  const passed = due.filter(hasWay);
  const idsOf = (role: Due['role']) => [
    ...new Set(passed.filter((one) => one.role === role).map(({ clientId }) => clientId)),
  ];
  const { durable } = context.store;
  const [held, owned] = [idsOf('holder'), idsOf('owner')];
  const none = new Map<string, number>();
  const counts = {
    holder: held.length === 0 ? none : await countRefused(durable, held, holderIn(person, links)),
    owner: owned.length === 0 ? none : await countRefused(durable, owned, undefined),
  };
  return due.map((one): Told => {
    const waiting = one.part.role === 'holder' ? one.part.waiting : one.part.tokens.waiting;
    const refused = hasWay(one) ? (counts[one.role].get(one.clientId) ?? 0) : waiting;
    return { ...one, refused: Math.min(refused, waiting) };
  });
}
