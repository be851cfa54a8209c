import { keyIdOf, Unreadable } from '../../shared/secrets.ts';
import { findKeyState } from '../../store/keys/keys.ts';
import type { AuthorizationDeps } from './deps.ts';

/** Sealed values that no row holds: they come back in an address or a cookie. */

const KEY_ID = /^[a-z0-9]{1,16}$/;

function openNow({ vault }: AuthorizationDeps, place: string, sealed: string): string | undefined {
  try {
    return vault.open(place, sealed);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Whether the key of a sealed value exists and only this process does not hold the key. */
async function isOnlyMissingHere(context: AuthorizationDeps, id: string): Promise<boolean> {
  if (!KEY_ID.test(id)) return false;
  const state = await findKeyState(context.store.durable, { purpose: 'sealing', id });
  return state !== undefined && state !== 'dropped';
}

/**
 * Opens a sealed value from outside. Undefined for a value that was made up or changed, or whose key was dropped.
 * @throws {Unreadable} the key is in use, and this machine lacks the key
 */
export async function openTraveller(
  context: AuthorizationDeps,
  place: string,
  sealed: string,
): Promise<string | undefined> {
  if (context.vault.holdsKeyOf(sealed)) return openNow(context, place, sealed);
  if (!(await isOnlyMissingHere(context, keyIdOf(sealed)))) return undefined;
  await context.keyring.refresh();
  if (context.vault.holdsKeyOf(sealed)) return openNow(context, place, sealed);
  throw new Unreadable(`${place} is sealed with a key that KEYS_FILE lacks here`);
}
