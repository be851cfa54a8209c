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

/** Ends the extension in force; returns its planned end, or undefined without an extension. */
export async function endExtensionOf(
  tx: Database,
  { clientId, name, now, by }: ExtensionEnd,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('extensions')
    .set({ ended_at: now, ended_by: by })
    .where('client_id', '=', clientId)
    .where('name', '=', name)
    .where('ended_at', 'is', null)
    .returning('until')
    .executeTakeFirst();
  return row?.until;
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
