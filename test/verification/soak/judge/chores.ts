import { groupBy } from '../../../../src/shared/group-by.ts';
import type { Context } from '../../../../src/domain/context.ts';
import type { Violation } from '../../shared/checker/checker.ts';
import type { Outage } from '../../shared/checker/history.ts';
import type { ImportedPeople } from '../chores/import.ts';
import type { Mails } from '../chores/reminders.ts';
import type { Rotation } from '../chores/rotation.ts';
import { knownTokens } from '../fleet.ts';
import type { SoakRun } from '../run.ts';

/** Whether the work beside the load was done. */

export async function judgeImport({ ground }: SoakRun, { rows }: ImportedPeople): Promise<Violation[]> {
  const { count } = await ground.context.store.durable
    .selectFrom('mappings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('source', '=', 'imported')
    .executeTakeFirstOrThrow();
  if (count === rows) return [];
  return [{ invariant: 'import', text: `of ${rows} tokens ${count} are imported` }];
}

/** Each person of the import once; a mail comes again only from a machine that was killed between sending and marking. */
export function judgeMails(
  mails: Mails,
  { addresses }: ImportedPeople,
  outages: readonly Outage[],
): Violation[] {
  const byAddress = groupBy(mails.arrivals, ({ to }) => to);
  const wrong = addresses.flatMap((address) => {
    const times = byAddress.get(address)?.length ?? 0;
    return times === 1 ? [] : [{ invariant: 'mails', text: `${address} was written to ${times} times` }];
  });
  const kills = outages.filter(({ pid }) => pid !== 0).length;
  if (mails.repeats.length <= kills) return wrong;
  const text = `${mails.repeats.length} mails came again, and ${kills} processes were killed`;
  return [...wrong, { invariant: 'mails', text }];
}

/** What may keep an old key: what somebody left in the middle, and tokens whose answer reached nobody. */
const LEFT_IN_THE_MIDDLE: Readonly<Record<string, readonly string[]>> = {
  digest: [
    'tokens',
    'mailed links',
    'running authorizations',
    'open approval pages',
    'writes in doubt',
    'ids of updates',
  ],
  session: ['open approval pages'],
};

async function tokensUnder(
  { store, vault }: Context,
  key: string,
  tokens: readonly string[],
): Promise<number> {
  const rows = await store.durable
    .selectFrom('mappings')
    .select('token_digest')
    .where('token_digest', 'like', `${key}.%`)
    .execute();
  const known = new Set(tokens.flatMap((token) => vault.digests(token)));
  return rows.filter(({ token_digest: digest }) => known.has(digest)).length;
}

/** A key is dropped, unless something that was left in the middle still needs it. */
export async function judgeKeys(run: SoakRun, { kept, isDropped, id }: Rotation): Promise<Violation[]> {
  if (id === '') return [{ invariant: 'keys', text: 'no key was activated' }];
  const wrong = [...kept].flatMap(([purpose, why]) => {
    const reasons = why.split(', ').map((one) => one.split(':')[0] ?? '');
    const isLeft = reasons.every((reason) => LEFT_IN_THE_MIDDLE[purpose]?.includes(reason));
    return isLeft ? [] : [{ invariant: 'keys', text: `the old ${purpose} key was not dropped: ${why}` }];
  });
  if (!isDropped && kept.size === 0) wrong.push({ invariant: 'keys', text: 'the old key was not dropped' });
  const known = isDropped ? 0 : await tokensUnder(run.ground.context, 'k1', knownTokens(run.fleet));
  if (known > 0)
    wrong.push({ invariant: 'keys', text: `${known} tokens that were seen stand on the old key` });
  return wrong;
}
