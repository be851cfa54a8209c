import type { KeyHolder } from '../../store/keys/key-holders.ts';
import { type KeyName, moveKey, retireActive } from '../../store/keys/keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import type { KeysDeps } from './deps.ts';
import { holders, type KeyChoice, keysOf, KeyStepRefused, untilNothing } from './key-steps.ts';
import { recordEvent } from '../history/record-event.ts';

function lacking(all: readonly KeyHolder[], keys: readonly KeyName[]): string[] {
  return all
    .filter(({ rings }) => keys.some(({ purpose, id }) => !rings[purpose].ids.includes(id)))
    .map(({ machine, processId }) => `process ${processId} on ${machine}`);
}

function notWriting(all: readonly KeyHolder[], keys: readonly KeyName[]): string[] {
  return all
    .filter(({ rings }) => keys.some(({ purpose, id }) => rings[purpose].active !== id))
    .map(({ processId }) => processId);
}

async function activateOne(context: KeysDeps, tx: Database, key: KnownKey): Promise<void> {
  const now = context.clock.now();
  await retireActive(tx, key.purpose, now);
  if (!(await moveKey(tx, key, { from: ['standby', 'old'], to: 'active', now })))
    throw new KeyStepRefused(`the ${key.purpose} key ${key.id} was changed meanwhile`);
  const reason = `${key.purpose} ${key.id}`;
  await recordEvent(context, tx, { at: now, actor: 'command', action: 'key_activated', reason });
}

/**
 * Activates a key, so that new values are made with it. Every live process must have reported that it holds the key.
 * @throws {KeyStepRefused}
 */
export async function activateKey(context: KeysDeps, choice: KeyChoice): Promise<KnownKey[]> {
  const keys = (await keysOf(context, choice)).filter(({ state }) => state !== 'active');
  const { id } = choice;
  const gone = keys.find(({ state }) => state === 'dropped');
  if (gone) throw new KeyStepRefused(`the ${gone.purpose} key ${id} was dropped`);
  const missing = await untilNothing(async () => lacking(await holders(context), keys));
  const inTheWay = await context.store.transaction(async (tx) => {
    const without = missing.length > 0 ? missing : lacking(await holders(context, tx), keys);
    if (without.length === 0) for (const key of keys) await activateOne(context, tx, key);
    return without;
  });
  if (inTheWay.length > 0)
    throw new KeyStepRefused(
      `key ${id} is not yet held by ${inTheWay.join(', ')}: copy the key file to every machine`,
    );
  await context.keyring.turn();
  // Waits until no process writes with the old key. Otherwise a process that has not looked yet could write a value
  // under the old key after a reseal.
  await untilNothing(async () => notWriting(await holders(context), keys));
  return keys;
}
