import { hostname } from 'node:os';
import type { Spill } from '../../store/files/spill.ts';
import type { KeyHolder } from '../../store/keys/key-holders.ts';
import { findKeyUsage, type KeyUsage } from '../../store/keys/key-usage.ts';
import { removeKeyFromFile, requireWritable } from '../../store/files/keys-file.ts';
import { type KeyName, moveKey } from '../../store/keys/keys.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import type { KeysDeps } from './deps.ts';
import { spilledKeyIds, UNREADABLE_PAIR } from './keyring.ts';
import { holders, type KeyChoice, keysOf, untilNothing } from './key-steps.ts';
import { recordEvent } from '../history/record-event.ts';

/** The usage in words: `tokens: 3, app secrets: 1`. */
export function inWords(usage: KeyUsage): string {
  return usage.map(({ what, count }) => `${what}: ${count}`).join(', ');
}

/** The keys, and the folder where this machine's pairs wait. */
type DropDeps = KeysDeps & { spill: Spill };

/** What in the spill of a machine needs a sealing key. */
function waitingIn(machine: string, spilled: readonly string[], id: string): string[] {
  if (spilled.includes(id)) return [`a pair sealed with the key waits in the spill of ${machine}`];
  return spilled.includes(UNREADABLE_PAIR)
    ? [`a file in the spill of ${machine} cannot be read, and its pair may be sealed with the key`]
    : [];
}

/** What in the spill of this machine needs a key. No process may live here to tell of it. */
async function waitingHere({ spill }: DropDeps, { purpose, id }: KnownKey): Promise<string[]> {
  return purpose === 'sealing' ? waitingIn(hostname(), await spilledKeyIds(spill), id) : [];
}

/** The processes that still write with a key, and the machines whose spill holds a pair sealed with the key. */
function writing(all: readonly KeyHolder[], { purpose, id }: KeyName): string[] {
  return all.flatMap(({ rings, spilled, machine, processId }) => {
    if (rings[purpose].active === id) return [`process ${processId} on ${machine} still writes with it`];
    return purpose === 'sealing' ? waitingIn(machine, spilled, id) : [];
  });
}

/**
 * Drops a key only if no value needs it. The count runs in the same transaction. Returns why the key stays, if it does.
 */
async function dropUnused(context: KeysDeps, key: KnownKey): Promise<string | undefined> {
  return context.store.transaction(async (tx) => {
    const now = context.clock.now();
    const usage = await findKeyUsage(tx, { ...key, now, store: context.store });
    if (usage.length > 0) return inWords(usage);
    if (!(await moveKey(tx, key, { from: ['standby', 'old'], to: 'dropped', now })))
      return 'the key was changed meanwhile';
    const reason = `${key.purpose} ${key.id}`;
    await recordEvent(context, tx, { at: now, actor: 'command', action: 'key_dropped', reason });
    return undefined;
  });
}

interface DropOutcome extends KeyName {
  /** Why the key is kept; undefined when the key is gone from the database and from this machine's file. */
  kept?: string;
}

async function dropOne(context: DropDeps, file: string, key: KnownKey): Promise<DropOutcome> {
  const { purpose, id, state } = key;
  if (state === 'active') return { purpose, id, kept: 'the key is the active one' };
  if (state !== 'dropped') {
    const find = async () => [...writing(await holders(context), key), ...(await waitingHere(context, key))];
    const inTheWay = await untilNothing(find);
    const reason = inTheWay[0] ?? (await dropUnused(context, key));
    if (reason !== undefined) return { purpose, id, kept: reason };
  }
  // A pair may have come in this moment, or the key was dropped from another machine, which does not know this spill.
  const [kept] = await waitingHere(context, key);
  if (kept !== undefined) return { purpose, id, kept };
  removeKeyFromFile(file, purpose, id);
  return { purpose, id };
}

/**
 * A history key may be needed as long as entries are verified. So a history key is dropped only when the command names
 * this purpose alone, in any state of the key.
 */
function isMeant({ purpose }: KnownKey, { purposes }: KeyChoice): boolean {
  return purpose !== 'history' || purposes.length === 1;
}

interface DropResult {
  outcomes: DropOutcome[];
  /** Whether a history key with this id was not named and stays. */
  isHistoryLeft: boolean;
}

/**
 * Drops a key for the given purposes if no value needs the key any more, and removes the key from this machine's file.
 * @throws {Error} in plain words, before any change, when the file cannot be changed
 */
export async function dropKey(context: DropDeps, file: string, choice: KeyChoice): Promise<DropResult> {
  // The database forgets a key before the file does. So a file that cannot be changed has to be found first.
  requireWritable(file);
  const outcomes: DropOutcome[] = [];
  const known = await keysOf(context, choice);
  const keys = known.filter((key) => isMeant(key, choice));
  for (const key of keys) outcomes.push(await dropOne(context, file, key));
  await context.keyring.turn();
  const isHistoryLeft = known.some((key) => !isMeant(key, choice) && key.state !== 'dropped');
  return { outcomes, isHistoryLeft };
}
