import { type ApiKeyFacts, endApiKey, listApiKeys } from '../../domain/api-keys/api-key-list.ts';
import { makeApiKey } from '../../domain/api-keys/make-api-key.ts';
import type { StaffRole } from '../../domain/accounts/staff.ts';
import { commandActor } from './by-option.ts';
import { printable, shown } from './dates/moment-option.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/** `api-keys`: the keys with which programs act as staff (docs/operate/staff-api.md). */

const originOf = (options: Record<string, unknown>) => ({ actor: commandActor(options), requestId: null });

/** `api-keys make --name NAME --role ROLE --days N`: makes a key and prints it once. */
export async function makeKey(options: Record<string, unknown>): Promise<Result> {
  const origin = originOf(options);
  const [name, role, days] = [String(options['name']), options['role'] as StaffRole, Number(options['days'])];
  return withContext(async ({ context }) => {
    const made = await makeApiKey(context, { name, role, days, ...origin });
    if (made === 'known') throw new Error('a key with this id exists already');
    const json = { key_id: made.id, key: made.key, role, expires_at: shown(made.expiresAt) };
    const lines = Object.entries(json).map(([field, value]) => `${field}: ${value}`);
    return { ok: true, lines: [...lines, 'The key is shown only this once.'], json };
  });
}

const momentOrNull = (at: number | null) => (at === null ? null : shown(at));

const jsonOf = (key: ApiKeyFacts) => ({
  key_id: key.id,
  name: key.name,
  role: key.role,
  may_now: key.mayNow ?? null,
  state: key.state,
  made_at: shown(key.made_at),
  made_by: key.made_by,
  expires_at: shown(key.expires_at),
  ended_at: momentOrNull(key.ended_at),
  ended_by: key.ended_by,
  last_used_at: momentOrNull(key.last_used_at),
});

/** What the key may do. What it was made for is in the JSON. */
const roleOf = ({ role, mayNow = role }: ApiKeyFacts): string => mayNow;

function lineOf(key: ApiKeyFacts): string {
  const used = key.last_used_at === null ? 'never used' : `last used ${shown(key.last_used_at)}`;
  const ends = key.ended_at === null ? `until ${shown(key.expires_at)}` : `ended ${shown(key.ended_at)}`;
  return printable(
    `${key.id}  ${roleOf(key).padEnd(6)}  ${key.state.padEnd(7)}  ${key.name}: ${ends}, ${used} (${key.made_by})`,
  );
}

const HEAD = ['KEY ID', 'ROLE', 'STATE', 'NAME', 'ENDS', 'LAST USED', 'MADE BY'];

const rowOf = (key: ApiKeyFacts): string[] => [
  key.id,
  roleOf(key),
  key.state,
  key.name,
  shown(key.ended_at ?? key.expires_at),
  momentOrNull(key.last_used_at) ?? 'never',
  key.made_by,
];

/** `api-keys list`: every key, those that have ended too. */
export async function listKeysOfPrograms(): Promise<Result> {
  return withContext(async ({ context }) => {
    const keys = await listApiKeys(context);
    const none = 'No program has a key yet. To make one: grantbridge api-keys make';
    return {
      ok: true,
      lines: keys.length > 0 ? keys.map(lineOf) : [none],
      table: { head: HEAD, rows: keys.map(rowOf) },
      json: { keys: keys.map(jsonOf) },
    };
  });
}

/** `api-keys end KEY_ID`: ends a key, from its next request on. */
export async function endKey(
  options: Record<string, unknown>,
  [id = '']: readonly string[],
): Promise<Result> {
  const origin = originOf(options);
  const why = typeof options['reason'] === 'string' ? { reason: options['reason'] } : {};
  return withContext(async ({ context }) => {
    const isEnded = await endApiKey(context, { id, ...why, ...origin });
    const line = isEnded
      ? 'The key has ended. Its next request is refused.'
      : 'No live key has this id. To see the keys: grantbridge api-keys list';
    return { ok: isEnded, lines: [line], json: { key_id: id, ended: isEnded } };
  });
}
