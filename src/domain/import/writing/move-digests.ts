import type { Vault } from '../../../shared/secrets.ts';

interface DigestMove {
  id: string;
  from: string;
  to: string;
}

/**
 * The known rows whose digest is made anew under the active key, because the file names their value. Without this a
 * dropped key would wait for a call that may never come.
 */
export function movesToActiveKey(
  vault: Vault,
  values: readonly Buffer[],
  known: ReadonlyArray<{ id: string; digest: string }>,
): DigestMove[] {
  if (known.length === 0) return [];
  const actives = new Map<string, string>();
  for (const value of values) {
    const to = vault.digestOf(value);
    for (const digest of vault.digestsOf(value)) if (digest !== to) actives.set(digest, to);
  }
  const moves = known.flatMap(({ id, digest }) => {
    const to = actives.get(digest);
    return to === undefined ? [] : [{ id, from: digest, to }];
  });
  // Two imports at once write in the same order.
  return moves.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
