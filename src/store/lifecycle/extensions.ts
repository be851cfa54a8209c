import type { Insertable } from 'kysely';
import type { LifecycleTables, Milestone } from '../tables/lifecycle.ts';
import type { Database } from '../driver/store.ts';

/** The extensions of apps: an app has at most one extension in force for a milestone. */

interface ExtensionEnd {
  clientId: string;
  name: Milestone;
  now: number;
  by: string;
}

/** The end of an app's extension for a milestone; undefined without an extension. */
export async function extensionUntil(
  tx: Database,
  { clientId, name }: Pick<ExtensionEnd, 'clientId' | 'name'>,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('extensions')
    .select('until')
    .where('client_id', '=', clientId)
    .where('name', '=', name)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row?.until;
}

/** Ends the extension in force; returns it with its planned end, or undefined without an extension. */
export async function endExtensionOf(
  tx: Database,
  { clientId, name, now, by }: ExtensionEnd,
): Promise<{ id: string; until: number } | undefined> {
  const row = await tx
    .updateTable('extensions')
    .set({ ended_at: now, ended_by: by })
    .where('client_id', '=', clientId)
    .where('name', '=', name)
    .where('ended_at', 'is', null)
    .returning(['id', 'until'])
    .executeTakeFirst();
  return row;
}

/** The extension in force of an app for a milestone. */
export async function extensionInForce(
  db: Database,
  { clientId, name }: Pick<ExtensionEnd, 'clientId' | 'name'>,
): Promise<{ id: string; until: number } | undefined> {
  return db
    .selectFrom('extensions')
    .select(['id', 'until'])
    .where('client_id', '=', clientId)
    .where('name', '=', name)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

/** Ends one extension, if it is in force. */
export async function endExtensionNamed(
  tx: Database,
  id: string,
  { now, by }: Pick<ExtensionEnd, 'now' | 'by'>,
): Promise<boolean> {
  const ended = await tx
    .updateTable('extensions')
    .set({ ended_at: now, ended_by: by })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** Lets an extension hold again that ended at this time. The app must have no extension in force for its milestone. */
export async function reviveExtension(tx: Database, id: string, endedAt: number): Promise<boolean> {
  const revived = await tx
    .updateTable('extensions')
    .set({ ended_at: null, ended_by: null })
    .where('id', '=', id)
    .where('ended_at', '=', endedAt)
    .executeTakeFirst();
  return revived.numUpdatedRows === 1n;
}

/** Adds an extension. The app must have no extension in force for this milestone. */
export async function insertExtension(
  tx: Database,
  extension: Insertable<LifecycleTables['extensions']>,
): Promise<void> {
  await tx.insertInto('extensions').values(extension).execute();
}

/** The extensions in force with the names of their apps, the earliest end first. */
export async function listExtensions(db: Database) {
  return db
    .selectFrom('extensions')
    .innerJoin('apps', 'apps.client_id', 'extensions.client_id')
    .selectAll('extensions')
    .select('apps.name as app_name')
    .where('extensions.ended_at', 'is', null)
    .orderBy('extensions.until')
    .orderBy('extensions.id')
    .execute();
}
