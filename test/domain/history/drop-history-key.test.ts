import { addKeys } from '../../../src/domain/keys/add-keys.ts';
import { dropKey } from '../../../src/domain/keys/drop-key.ts';
import { PURPOSES } from '../../../src/shared/secrets.ts';
import { loadKeys } from '../../../src/store/files/keys-file.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import { type KeyDoor, openKeyDoor } from '../../support/bridge/key-door.ts';

/** What README promises of a history key: `keys drop` leaves it alone unless it is named, in every state. */

let door: KeyDoor;
beforeAll(async () => {
  door = await openKeyDoor();
});
afterAll(() => door.stop());

test('drop of a key that waits leaves its history key alone, and says so; named, that goes too', async () => {
  const { context } = door.bridge;
  const { id } = await addKeys(context, door.keysFile);
  const isHeld = () => loadKeys(door.keysFile).history.some((key) => key.id === id);
  const { outcomes, isHistoryLeft } = await dropKey(context, door.keysFile, { id, purposes: PURPOSES });
  expect(outcomes.map(({ purpose, kept }) => [purpose, kept])).toEqual(
    ['digest', 'sealing', 'session'].map((purpose) => [purpose, undefined]),
  );
  const known = (await listKeys(context.store.durable)).find(
    (key) => key.id === id && key.purpose === 'history',
  );
  expect([isHistoryLeft, isHeld(), known?.state]).toEqual([true, true, 'standby']);
  const named = await dropKey(context, door.keysFile, { id, purposes: ['history'] });
  expect([named, isHeld()]).toEqual([
    { outcomes: [{ purpose: 'history', id }], isHistoryLeft: false },
    false,
  ]);
  const again = await dropKey(context, door.keysFile, { id, purposes: PURPOSES });
  expect(again.isHistoryLeft).toBe(false);
});
