import type { Vault } from '../shared/secrets.ts';
import { readProofs, writeProofs } from '../store/key-proofs.ts';
import type { Database } from '../store/store.ts';

const KNOWN_TEXT = 'grantbridge';
const PLACE = 'key_proofs|sealing';

function opens(vault: Vault, sealed: string): boolean {
  try {
    return vault.open(PLACE, sealed) === KNOWN_TEXT;
  } catch {
    return false;
  }
}

/** Whether no keys were ever used with this database. */
export async function isNew(db: Database): Promise<boolean> {
  return (await readProofs(db)).size === 0;
}

/**
 * Proves that the keys are those of this database, before anything is served: with others every stored token would be
 * unknown and every grant unreadable. The first start writes what later ones check.
 * @throws {Error} in plain words; nothing was changed
 */
export async function proveKeys(db: Database, vault: Vault): Promise<void> {
  let proofs = await readProofs(db);
  if (proofs.size === 0) {
    await writeProofs(db, { digest: vault.digest(KNOWN_TEXT), sealing: vault.seal(PLACE, KNOWN_TEXT) });
    // Another first starter may have been faster, with keys of its own.
    proofs = await readProofs(db);
  }
  const [digest, sealing] = [proofs.get('digest'), proofs.get('sealing')];
  const isComplete = digest !== undefined && sealing !== undefined;
  if (isComplete && vault.digests(KNOWN_TEXT).includes(digest) && opens(vault, sealing)) return;
  throw new Error('KEYS_FILE: these keys do not belong to this database; nothing was changed');
}
