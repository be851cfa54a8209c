import { activateKey } from '../../../src/domain/keys/activate-key.ts';
import { addKeys } from '../../../src/domain/keys/add-keys.ts';
import { resealAll } from '../../../src/domain/keys/reseal.ts';
import { pairPlace } from '../../../src/domain/keys/sealing-context.ts';
import { keyIdOf, PURPOSES } from '../../../src/shared/secrets.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { connectApp, type Connected } from '../../endpoints/support/connected.ts';
import { read } from '../../support/callers/legacy-calls.ts';
import { type KeyDoor, openKeyDoor } from '../../support/bridge/key-door.ts';

/**
 * Sealed values that somebody changed in the database (docs/threats.md F113): nothing is destroyed, and an alarm is
 * given.
 */

type Column = 'access_token_sealed' | 'refresh_token_sealed';

const NAMES = { access_token_sealed: 'access_token', refresh_token_sealed: 'refresh_token' } as const;

let door: KeyDoor;
let victim: Connected;
let neighbour: Connected;
/** The victim's pair one version earlier. */
let older: Grant;

const grants = () => door.bridge.context.store.durable;
const profiles = ({ token }: Connected) => read(door, '/1/profiles.json', token);

async function expire({ id }: Grant): Promise<void> {
  await grants()
    .updateTable('grants')
    .set({ access_expires_at: 0, refresh_at: 0, retry_at: 0 })
    .where('id', '=', id)
    .execute();
}

beforeAll(async () => {
  // At other levels one line stands for many failures of a minute.
  door = await openKeyDoor({}, 'debug');
  victim = await connectApp(door);
  neighbour = await connectApp(door, await door.addApp({ name: 'Another app' }));
  older = await victim.grant();
  await expire(older);
  expect((await profiles(victim)).status).toBe(200);
  expect((await victim.grant()).version).toBe(older.version + 1);
});
afterAll(() => door.stop());

async function put({ id }: Grant, column: Column, sealed: string): Promise<void> {
  await grants()
    .updateTable('grants')
    .set({ [column]: sealed })
    .where('id', '=', id)
    .execute();
}

const COLUMNS: readonly Column[] = ['access_token_sealed', 'refresh_token_sealed'];
const otherColumn = (column: Column) => COLUMNS.find((one) => one !== column) ?? column;

function flipped(sealed: string): string {
  const bytes = Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return `${keyIdOf(sealed)}.${bytes.toString('base64url')}`;
}

type Sealed = Record<Column, string | null>;
type Change = (own: Sealed, column: Column, others: { next: Sealed; older: Sealed }) => string | null;

const CHANGES: ReadonlyArray<[string, Change]> = [
  ['from another row', (_own, column, { next }) => next[column]],
  ['from the other column', (own, column) => own[otherColumn(column)]],
  ['from an older version of its row', (_own, column, others) => others.older[column]],
  ['cut', (own, column) => own[column]?.slice(0, -6) ?? null],
  ['cut to its key id', (own, column) => `${keyIdOf(own[column] ?? '')}.`],
  ['with one bit changed', (own, column) => flipped(own[column] ?? '')],
  ['of an unknown key', (own, column) => own[column]?.replace(/^[^.]+/, 'k9') ?? null],
  ['of no key at all', () => ''],
  ['in the clear', () => 'notSealed-4711.at-all'],
];

const CASES = COLUMNS.flatMap((column) => CHANGES.map(([what, change]) => [column, what, change] as const));

const kept = ({ state, version, access_token_sealed, refresh_token_sealed }: Grant) => ({
  state,
  version,
  access_token_sealed,
  refresh_token_sealed,
});

test.each(CASES)('%s, a value %s: 503 and an alarm, and the right value heals it', async (...given) => {
  const [column, , change] = given;
  const own = await victim.grant();
  const wrong = change(own, column, { next: await neighbour.grant(), older });
  if (wrong === null || wrong === own[column]) throw new Error('nothing was changed');
  await put(own, column, wrong);
  if (column === 'refresh_token_sealed') await expire(own);
  const [logged, asked] = [door.lines().length, door.proxy.refreshes().length];
  for (let call = 0; call < 2; call += 1) {
    const answer = await profiles(victim);
    expect(answer).toMatchObject({
      status: 503,
      json: { error: 'The service is temporarily unavailable. Try again later.', code: 1000 },
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(kept(await victim.grant())).toEqual(kept({ ...own, [column]: wrong }));
  expect(door.proxy.refreshes()).toHaveLength(asked);
  await door.bridge.untilLogged();
  // An anchor of the history is due at any moment, and begins with the id of a key as a sealed value does.
  const lines = door
    .lines()
    .slice(logged)
    .filter((line) => !line.includes('"message":"history anchor"'));
  expect(lines).toContainEqual(expect.stringMatching(/"message":"ALARM: a legacy call failed"/));
  for (const secret of [own.access_token_sealed, own.refresh_token_sealed, wrong].filter(Boolean))
    expect(lines.join('\n')).not.toContain(secret);
  expect(lines.join('\n')).not.toContain('notSealed');
  expect((await profiles(neighbour)).status).toBe(200);
  await put(own, column, own[column] ?? '');
  await grants().updateTable('grants').set({ retry_at: 0 }).where('id', '=', own.id).execute();
  expect((await profiles(victim)).status).toBe(200);
  expect((await victim.grant()).version).toBe(own.version + (column === 'refresh_token_sealed' ? 1 : 0));
});

const place = ({ id, version }: Grant, column: Column) => pairPlace(id, version, NAMES[column]);

test('a reseal names what does not open and leaves it, and seals everything else anew', async () => {
  const { context } = door.bridge;
  const [own, next] = [await victim.grant(), await neighbour.grant()];
  // Swapped between the rows, and of a key that nobody has.
  await put(own, 'access_token_sealed', next.access_token_sealed ?? '');
  await put(next, 'access_token_sealed', own.access_token_sealed ?? '');
  const unknown = (own.refresh_token_sealed ?? '').replace(/^[^.]+/, 'k9');
  await put(own, 'refresh_token_sealed', unknown);
  const { id } = await addKeys(context, door.keysFile);
  await activateKey(context, { id, purposes: PURPOSES });
  const first = await resealAll(context, { keyId: id, onProgress: () => undefined });
  expect(first.unreadable.toSorted()).toEqual(
    [
      place(own, 'access_token_sealed'),
      place(next, 'access_token_sealed'),
      place(own, 'refresh_token_sealed'),
    ].toSorted(),
  );
  expect(await victim.grant()).toEqual({
    ...own,
    access_token_sealed: next.access_token_sealed,
    refresh_token_sealed: unknown,
  });
  const after = await neighbour.grant();
  expect(keyIdOf(after.refresh_token_sealed ?? '')).toBe(id);
  expect(after).toEqual({
    ...next,
    access_token_sealed: own.access_token_sealed,
    refresh_token_sealed: after.refresh_token_sealed,
  });

  for (const grant of [own, next]) await put(grant, 'access_token_sealed', grant.access_token_sealed ?? '');
  await put(own, 'refresh_token_sealed', own.refresh_token_sealed ?? '');
  const second = await resealAll(context, { keyId: id, onProgress: () => undefined });
  expect(second).toEqual({ resealed: 3, unreadable: [] });
  for (const each of [victim, neighbour]) {
    await expire(await each.grant());
    expect((await profiles(each)).status).toBe(200);
  }
});
