import { normalEmail } from '../../../shared/mail/address.ts';
import { moveSecretDigest } from '../../../store/apps/apps.ts';
import { listRemovedContacts } from '../../../store/apps/app-contacts.ts';
import { rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import { pinOwner } from '../../accounts/pin-owner.ts';
import { contactInHistory } from '../../apps/app-contacts.ts';
import { emailsFor } from './account-emails.ts';
import { NEW_CALLBACK, NEW_OWNER } from './key-limits.ts';
import { movesToActiveKey } from './move-digests.ts';
import { translationOf } from './legacy-accounts.ts';
import { appWith, type ImportedApp } from './imported-app.ts';
import type { ImportContext, RowOutcome } from '../outcomes.ts';
import { type EmailLookup, isOtherOwner, OTHER_ACCOUNT, type Owner } from './owners.ts';
import type { Objection } from '../refusals.ts';
import { type AppImportRow, CALLBACKS, OWNER, SECRET } from '../reading/rows.ts';
import { writeApps } from './write-apps.ts';

type ImportedApps = Map<string, ImportedApp>;

/** An app has two live secrets while its secret is being changed. */
const LIVE_SECRETS_MAX = 2;

async function renewDigests(
  context: ImportContext['context'],
  tx: Database,
  {
    rows,
    secrets,
  }: { rows: readonly AppImportRow[]; secrets: ReadonlyArray<{ id: string; secret_digest: string }> },
): Promise<void> {
  const known = secrets.map(({ id, secret_digest: digest }) => ({ id, digest }));
  const values = rows.flatMap(({ secret }) => (secret === null ? [] : [secret]));
  for (const move of movesToActiveKey(context.vault, values, known)) await moveSecretDigest(tx, move);
}

async function lookUp(
  { context, namedApps }: ImportContext,
  tx: Database,
  rows: readonly AppImportRow[],
): Promise<ImportedApps> {
  const ids = rows.map(({ clientId }) => clientId);
  const column = 'client_id';
  const known = await rowsWith(tx, { table: 'apps', column }, ids);
  const apps: ImportedApps = new Map(known.map((app) => [app.client_id, appWith(app.client_id, app)]));
  for (const app of apps.values()) app.isNamed = namedApps.has(app.clientId);
  const secrets = await rowsWith(tx, { table: 'app_secrets', column }, ids);
  await renewDigests(context, tx, { rows, secrets });
  for (const secret of secrets) {
    const app = apps.get(secret.client_id);
    app?.secrets.add(secret.secret_digest);
    if (app && secret.retired_at === null) app.liveSecrets += 1;
  }
  for (const { client_id, uri } of await rowsWith(tx, { table: 'app_callbacks', column }, ids))
    apps.get(client_id)?.callbacks.add(uri);
  const contacts = await rowsWith(tx, { table: 'app_contacts', column }, ids);
  for (const { client_id, address } of [...contacts, ...(await listRemovedContacts(tx, [...apps.keys()]))])
    apps.get(client_id)?.contacts.add(normalEmail(address));
  return apps;
}

/** The digest to store for a row's secret; null when the app has or had the secret, or the row names no secret. */
function missingSecret(
  { context }: ImportContext,
  app: ImportedApp,
  { secret }: AppImportRow,
): string | null {
  if (secret === null) return null;
  const isKnown = context.vault.digestsOf(secret).some((digest) => app.secrets.has(digest));
  return isKnown ? null : context.vault.digestOf(secret);
}

function ownerOf({ ownerAccountId, ownerEmail }: AppImportRow | ImportedApp): Owner {
  return { accountId: ownerAccountId, email: ownerEmail };
}

/** Why a key may not change a known app as the row does. A row that makes an app names its owner and callbacks. */
function objectionToKey(app: ImportedApp, row: AppImportRow): Objection | undefined {
  if (app.isNew) return undefined;
  const { owner_account_id: ownerId, owner_email: ownerEmail } = fieldChanges(app, row);
  if (ownerId !== undefined || ownerEmail !== undefined) return { field: OWNER, reason: NEW_OWNER };
  const addsCallback = row.callbacks.some((uri) => !app.callbacks.has(uri));
  return addsCallback ? { field: CALLBACKS, reason: NEW_CALLBACK } : undefined;
}

interface Terms {
  secret: string | null;
  emailsOf: EmailLookup;
  isByKey: boolean;
}

function findConflict(
  app: ImportedApp,
  row: AppImportRow,
  { secret, emailsOf, isByKey }: Terms,
): Objection | undefined {
  if (app.isRetired) return { field: 'client_id', reason: 'the app is retired' };
  if (app.isImported && app.isNamed && row.name !== app.name)
    return { field: 'name', reason: 'the file names the app differently before' };
  if (isOtherOwner(ownerOf(app), ownerOf(row), emailsOf)) return { field: OWNER, reason: OTHER_ACCOUNT };
  if (secret !== null && app.liveSecrets >= LIVE_SECRETS_MAX)
    return { field: SECRET, reason: 'the app has two other secrets' };
  return isByKey ? objectionToKey(app, row) : undefined;
}

function fieldChanges(app: ImportedApp, row: AppImportRow): ImportedApp['changes'] {
  const { ownerAccountId, ownerEmail, name } = row;
  return {
    ...(name !== app.name && app.isImported && { name }),
    ...(app.ownerAccountId === null && ownerAccountId !== null && { owner_account_id: ownerAccountId }),
    ...(app.ownerAccountId === null &&
      app.ownerEmail === null &&
      ownerEmail !== null && { owner_email: ownerEmail }),
  };
}

function missing(known: Set<string>, given: readonly string[], added: string[]): boolean {
  const isAdded = given.filter((one) => !known.has(one));
  for (const one of isAdded) {
    known.add(one);
    added.push(one);
  }
  return isAdded.length > 0;
}

/** The contacts of a row without those that were removed from the app under another name of the history. */
const contactsOf = (row: AppImportRow, { contacts }: ImportedApp) =>
  row.contacts.filter((address) => !contacts.has(contactInHistory(address)));

/** Adds the data of a row that the app lacks; returns whether the app lacked any data. */
function merge(app: ImportedApp, row: AppImportRow, secret: string | null): boolean {
  const changes = fieldChanges(app, row);
  app.name = changes.name ?? app.name;
  app.isNamed = true;
  app.ownerAccountId = changes.owner_account_id ?? app.ownerAccountId;
  app.ownerEmail = changes.owner_email ?? app.ownerEmail;
  Object.assign(app.changes, changes);
  const isAdded = [
    missing(app.callbacks, row.callbacks, app.added.callbacks),
    missing(app.contacts, contactsOf(row, app), app.added.contacts),
    secret !== null && missing(app.secrets, [secret], app.added.secrets),
  ].includes(true);
  if (secret !== null) app.liveSecrets += 1;
  return isAdded || Object.keys(changes).length > 0;
}

function settle(
  run: ImportContext,
  { apps, emailsOf }: { apps: ImportedApps; emailsOf: EmailLookup },
  row: AppImportRow,
): RowOutcome {
  const found = apps.get(row.clientId);
  const app = found ?? { ...appWith(row.clientId, undefined), createdAt: row.createdAt };
  const secret = missingSecret(run, app, row);
  const problem = findConflict(app, row, { secret, emailsOf, isByKey: run.isByKey });
  if (problem !== undefined) return { line: row.line, ...problem, clientId: row.clientId };
  const isChanged = merge(app, row, secret);
  apps.set(row.clientId, app);
  if (!found) return 'new';
  return isChanged ? 'changed' : 'known';
}

/** A registered app has a token that waits for the id of the app's owner. */
async function pinOwners({ context, origin }: ImportContext, tx: Database, apps: readonly ImportedApp[]) {
  for (const { isNew, clientId, changes } of apps) {
    const accountId = changes.owner_account_id;
    if (!isNew && accountId !== undefined)
      await pinOwner(context, tx, { clientIds: [clientId], accountId, ...origin });
  }
}

/** Imports apps in one transaction; returns the outcome of each row. */
export async function applyApps(
  run: ImportContext,
  tx: Database,
  rows: readonly AppImportRow[],
): Promise<RowOutcome[]> {
  const translate = await translationOf(tx, new Set(rows.map((row) => row.ownerAccountId)));
  const apps = await lookUp(run, tx, rows);
  const owned = rows.map((row) => {
    const owner = translate({ accountId: row.ownerAccountId, email: row.ownerEmail });
    return { ...row, ownerAccountId: owner.accountId, ownerEmail: owner.email };
  });
  const claims = [...apps.values(), ...owned].map((app) => [app.clientId, ownerOf(app)] as const);
  const emailsOf = await emailsFor(tx, claims);
  const outcomes = owned.map((row) => settle(run, { apps, emailsOf }, row));
  await writeApps(run, tx, [...apps.values()]);
  await pinOwners(run, tx, [...apps.values()]);
  return outcomes;
}
