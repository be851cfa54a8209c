import type { Holder } from '../../store/keys/key-holders.ts';
import { type KeyName, moveKey, retireActive } from '../../store/keys/keys.ts';
import type { Database } from '../../store/driver/store.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import type { Context } from '../context.ts';
import { holders, type KeyChoice, keysOf, KeyStepRefused, untilNothing } from './key-steps.ts';
import { recordEvent } from '../history/record-event.ts';

function lacking(all: readonly Holder[], keys: readonly KeyName[]): string[] {
  return all
    .filter(({ rings }) => keys.some(({ purpose, id }) => !rings[purpose].ids.includes(id)))
    .map(({ machine, processId }) => `process ${processId} on ${machine}`);
}

function notWriting(all: readonly Holder[], keys: readonly KeyName[]): string[] {
  return all
    .filter(({ rings }) => keys.some(({ purpose, id }) => rings[purpose].active !== id))
    .map(({ processId }) => processId);
}

async function activateOne(context: Context, tx: Database, key: KnownKey): Promise<void> {
  const now = context.clock.now();
  await retireActive(tx, key.purpose, now);
  if (!(await moveKey(tx, key, { from: ['standby', 'old'], to: 'active', now })))
    throw new KeyStepRefused(`the ${key.purpose} key ${key.id} was changed meanwhile`);
  const reason = `${key.purpose} ${key.id}`;
  await recordEvent(context, tx, { at: now, actor: 'command', action: 'key_activated', reason });
}

/**
 * Makes a key the one that writes, once every live process has said that it holds it.
 * @throws {KeyStepRefused}
 */
export async function activateKey(context: Context, choice: KeyChoice): Promise<KnownKey[]> {
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
    throw new KeyStepRefused(`key ${id} is not held yet by ${inTheWay.join(', ')}: copy the key file there`);
  await context.keyring.turn();
  // What is sealed anew after this is not sealed with the key before by a process that has not looked yet.
  await untilNothing(async () => notWriting(await holders(context), keys));
  return keys;
}
