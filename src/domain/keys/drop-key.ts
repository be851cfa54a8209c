import type { Holder } from '../../store/keys/key-holders.ts';
import { findKeyUsage, type KeyUsage } from '../../store/keys/key-usage.ts';
import { removeKeyFromFile, requireWritable } from '../../store/files/keys-file.ts';
import { type KeyName, moveKey } from '../../store/keys/keys.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import type { Context } from '../context.ts';
import { holders, type KeyChoice, keysOf, untilNothing } from './key-steps.ts';
import { recordEvent } from '../history/record-event.ts';

/** As a person reads it: `tokens: 3, app secrets: 1`. */
export function inWords(usage: KeyUsage): string {
  return usage.map(({ what, count }) => `${what}: ${count}`).join(', ');
}

/** Who would still write with a key, or has a pair under it that the database does not. */
function writing(all: readonly Holder[], { purpose, id }: KeyName): string[] {
  return all.flatMap(({ rings, spilled, machine, processId }) => {
    if (rings[purpose].active === id) return [`process ${processId} on ${machine} still writes with it`];
    const isSpilled = purpose === 'sealing' && spilled.includes(id);
    return isSpilled ? [`a pair sealed with it waits in the spill of ${machine}`] : [];
  });
}

/** Only what nothing stands on is dropped, counted in the same transaction. */
async function dropUnused(context: Context, key: KnownKey): Promise<string | undefined> {
  return context.store.transaction(async (tx) => {
    const now = context.clock.now();
    const usage = await findKeyUsage(tx, { ...key, now, store: context.store });
    if (usage.length > 0) return inWords(usage);
    if (!(await moveKey(tx, key, { from: ['standby', 'old'], to: 'dropped', now })))
      return 'it was changed meanwhile';
    const reason = `${key.purpose} ${key.id}`;
    await recordEvent(context, tx, { at: now, actor: 'command', action: 'key_dropped', reason });
    return undefined;
  });
}

interface DropOutcome extends KeyName {
  /** Why it is kept; undefined when it is gone from the database and from this machine's file. */
  kept?: string;
}

async function dropOne(context: Context, file: string, key: KnownKey): Promise<DropOutcome> {
  const { purpose, id, state } = key;
  if (state === 'active') return { purpose, id, kept: 'it is the active key' };
  if (state !== 'dropped') {
    const inTheWay = await untilNothing(async () => writing(await holders(context), key));
    const reason = inTheWay[0] ?? (await dropUnused(context, key));
    if (reason !== undefined) return { purpose, id, kept: reason };
  }
  removeKeyFromFile(file, purpose, id);
  return { purpose, id };
}

/** A history key may be needed for as long as entries are to be verified: it goes only when it is named, in any state. */
function isMeant({ purpose }: KnownKey, { purposes }: KeyChoice): boolean {
  return purpose !== 'history' || purposes.length === 1;
}

interface Dropping {
  outcomes: DropOutcome[];
  /** Whether there is a history key of this id, which was not named and stays. */
  isHistoryLeft: boolean;
}

/**
 * Drops a key of these purposes where nothing needs it any more, and takes it out of this machine's file.
 * @throws {Error} in plain words when the file cannot be changed; then nothing was
 */
export async function dropKey(context: Context, file: string, choice: KeyChoice): Promise<Dropping> {
  // The database forgets a key first: a file that cannot follow is found before that.
  requireWritable(file);
  const outcomes: DropOutcome[] = [];
  const known = await keysOf(context, choice);
  const keys = known.filter((key) => isMeant(key, choice));
  for (const key of keys) outcomes.push(await dropOne(context, file, key));
  await context.keyring.turn();
  const isHistoryLeft = known.some((key) => !isMeant(key, choice) && key.state !== 'dropped');
  return { outcomes, isHistoryLeft };
}
