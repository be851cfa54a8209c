import { newHexId } from '../../../shared/ids.ts';
import { changeApp } from '../../../store/import/import-changes.ts';
import { addRows } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import { recordEvents } from '../../history/record-event.ts';
import { nameAccounts } from './name-accounts.ts';
import type { ImportedApp } from './imported-app.ts';
import type { ImportContext } from '../outcomes.ts';

/** Writes the additions and changes of a batch of apps. Two imports at once write in the same order. */

function partsOf({ changes, added }: ImportedApp): string[] {
  return [
    changes.name === undefined ? [] : ['name'],
    changes.owner_account_id === undefined && changes.owner_email === undefined ? [] : ['owner'],
    added.callbacks.length > 0 ? ['callbacks'] : [],
    added.contacts.length > 0 ? ['contacts'] : [],
    added.secrets.length > 0 ? ['secret'] : [],
  ].flat();
}

async function addParts(tx: Database, apps: readonly ImportedApp[], now: number): Promise<void> {
  const callbacks = apps.flatMap(({ clientId, added }) =>
    added.callbacks.map((uri) => ({ client_id: clientId, uri })),
  );
  const contacts = apps.flatMap(({ clientId, added }) =>
    added.contacts.map((address) => ({ client_id: clientId, address })),
  );
  const secrets = apps.flatMap(({ clientId, createdAt, added }) =>
    added.secrets.map((secret_digest) => ({
      id: newHexId(),
      client_id: clientId,
      secret_digest,
      created_at: createdAt ?? now,
    })),
  );
  await addRows(tx, { table: 'app_callbacks', column: 'client_id' }, callbacks);
  await addRows(tx, { table: 'app_contacts', column: 'client_id' }, contacts);
  await addRows(tx, { table: 'app_secrets', column: 'client_id' }, secrets);
}

/** Writes the apps, with an entry in the history for each app. */
export async function writeApps(
  run: ImportContext,
  tx: Database,
  apps: readonly ImportedApp[],
): Promise<void> {
  const { context, origin } = run;
  const now = context.clock.now();
  const sorted = apps.toSorted((a, b) => (a.clientId < b.clientId ? -1 : 1));
  const added = sorted.filter(({ isNew }) => isNew);
  const changed = sorted.filter((app) => !app.isNew && partsOf(app).length > 0);
  const rows = added.map((app) => ({
    client_id: app.clientId,
    name: app.name,
    owner_account_id: app.ownerAccountId,
    owner_email: app.ownerEmail,
    source: 'imported' as const,
    created_at: app.createdAt ?? now,
  }));
  await addRows(tx, { table: 'apps', column: 'client_id' }, rows);
  for (const { clientId, changes } of changed) {
    if (Object.keys(changes).length > 0) await changeApp(tx, clientId, changes);
  }
  await addParts(tx, [...added, ...changed], now);
  const entryOf = ({ clientId, ownerAccountId }: ImportedApp, action: string, reason: string) => {
    return { at: now, ...origin, action, reason, clientId, accountId: ownerAccountId };
  };
  await recordEvents(context, tx, [
    ...added.map((app) => entryOf(app, 'app_imported', 'import')),
    ...changed.map((app) => entryOf(app, 'app_changed', `import: ${partsOf(app).join(', ')}`)),
  ]);
  const owners = added.map(({ ownerAccountId }) => ownerAccountId);
  // `pinOwner` adds the owner's account for an app that exists already.
  await nameAccounts(run, tx, { ids: owners, reason: 'the owner of an imported app' });
}
