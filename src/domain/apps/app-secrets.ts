import { newHexId, newOpaqueValue } from '../../shared/ids.ts';
import { endSecret, findApp, insertSecret, listSecrets } from '../../store/apps/apps.ts';
import type { Database } from '../../store/driver/store.ts';
import { appImportedAt } from '../../store/tokens/imports.ts';
import type { AppsDeps } from './deps.ts';
import type { Origin } from '../origin.ts';
import { recordEvent } from '../history/record-event.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * Rotates the secret of an app without a gap: the owner makes a second secret, the app changes over, and the owner
 * retires the first secret. Meanwhile both secrets work. An app has at most two live secrets, and the last secret
 * cannot be retired.
 */

const SECRETS_OF_ONE_APP = 2;

/** A live secret. Its value was shown once and is not stored. `createdAt` is in Unix milliseconds. */
export interface AppSecret {
  id: string;
  /** Of an imported secret: when it was imported. The date of its row is that of the app. */
  createdAt: number;
  /** How old an imported secret is, nobody knows. */
  isImported: boolean;
}

interface SecretChange extends Origin {
  clientId: string;
}

/** The live secrets of an app, oldest first. */
export async function secretsOf(context: AppsDeps, clientId: string): Promise<AppSecret[]> {
  const rows = await listSecrets(context.store.durable, clientId);
  const imported = await appImportedAt(context.store.durable, clientId);
  return rows.map(({ id, created_at: createdAt }) => ({
    id,
    createdAt: Math.max(createdAt, imported),
    isImported: createdAt <= imported,
  }));
}

interface SecretToAdd extends SecretChange {
  id?: string;
  /** The account that must own the app still, where its owner asks. */
  ownerId?: string;
}

/** `known`: a secret with this id was made before. `other owner`: the app was given to another account meanwhile. */
export type AddedSecret = { id: string; secret: string } | 'unknown app' | 'other owner' | 'full' | 'known';

/** Makes a second secret and returns its value, this once. The caller may choose the id beforehand, as a form does. */
export async function addSecret(
  context: AppsDeps,
  { clientId, actor, requestId, ownerId, id = newHexId() }: SecretToAdd,
): Promise<AddedSecret> {
  const secret = newOpaqueValue();
  const inOneStep = async (tx: Database): Promise<AddedSecret> => {
    const app = await findApp(tx, clientId);
    if (!app) return 'unknown app';
    if (ownerId !== undefined && app.owner_account_id !== ownerId) return 'other owner';
    const live = await listSecrets(tx, clientId);
    if (live.some((one) => one.id === id)) return 'known';
    if (live.length >= SECRETS_OF_ONE_APP) return 'full';
    const now = context.clock.now();
    const digest = context.vault.digest(secret);
    await requireUsableKey(tx, 'digest', digest);
    const row = { id, client_id: clientId, secret_digest: digest, created_at: now };
    if (!(await insertSecret(tx, row))) return 'known';
    await recordEvent(context, tx, {
      at: now,
      actor,
      requestId,
      action: 'secret_added',
      reason: `rotation: ${id}`,
      clientId,
    });
    return { id, secret };
  };
  return withUsableKeys(context, () => context.store.transaction(inOneStep));
}

/** Ends a secret at once. The last secret stays, because the app could not authenticate without a secret. */
export async function retireSecret(
  context: AppsDeps,
  { clientId, actor, requestId, id }: SecretChange & { id: string },
): Promise<'retired' | 'unknown' | 'last'> {
  return context.store.transaction(async (tx) => {
    const live = await listSecrets(tx, clientId);
    if (!live.some((one) => one.id === id)) return 'unknown';
    if (live.length === 1) return 'last';
    const now = context.clock.now();
    await endSecret(tx, { id, clientId, now });
    await recordEvent(context, tx, {
      at: now,
      actor,
      requestId,
      action: 'secret_retired',
      reason: `rotation: ${id}`,
      clientId,
    });
    return 'retired';
  });
}
