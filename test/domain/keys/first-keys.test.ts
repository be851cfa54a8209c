import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerKeys } from '../../../src/domain/keys/register-keys.ts';
import { findKeyProblems } from '../../../src/domain/keys/usable-keys.ts';
import { createVault, type KeyRing, type KeyRings, PURPOSES } from '../../../src/shared/secrets.ts';
import { type KeysByPurpose, loadKeys } from '../../../src/store/files/keys-file.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { databaseKinds, openTwoStores, type TwoStores } from '../../store/support/stores.ts';

/** Two first starts on one empty database, each with a key file of its own: the register fits one of them as a whole. */

function vaultOf(held: KeysByPurpose) {
  const rings = PURPOSES.map((purpose): [string, KeyRing | undefined] => {
    const [active] = held[purpose];
    return [purpose, active && { active, all: held[purpose] }];
  });
  return createVault(() => Object.fromEntries(rings) as KeyRings);
}

describe.each(databaseKinds)('on %s', (kind) => {
  let stores: TwoStores;
  const folder = mkdtempSync(join(tmpdir(), 'first-keys-'));
  beforeAll(async () => (stores = await openTwoStores(kind)));
  beforeEach(() => stores.one.durable.deleteFrom('keys').execute());
  afterAll(async () => {
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  const fileOf = (name: string) => loadKeys(join(folder, `${name}.json`), true);

  test('one that comes between the steps of another adds nothing of its own', async () => {
    const [first, second] = [fileOf('first'), fileOf('second')];
    const vault = vaultOf(first);
    // An older version registered key by key, and may have been interrupted.
    const begun = { ...first, sealing: [], session: [], history: [] };
    await registerKeys({ store: stores.one, vault }, [], begun);
    await registerKeys({ store: stores.two, vault: vaultOf(second) }, [], second);
    const known = await listKeys(stores.one.durable);
    expect(findKeyProblems(known, second)).not.toEqual([]);
    await registerKeys({ store: stores.one, vault }, known, first);
    const ended = await listKeys(stores.one.durable);
    expect(ended.map(({ purpose, state }) => `${purpose} ${state}`)).toEqual(
      PURPOSES.map((purpose) => `${purpose} active`).toSorted(),
    );
    expect(findKeyProblems(ended, first)).toEqual([]);
  });
});
