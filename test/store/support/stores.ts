import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseLocation, openStore } from '../../../src/store/driver/open-store.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { freshDatabase, type TestDatabase } from '../../support/database/database.ts';
import { copyMigratedFile, migratedDatabase } from '../../support/database/migrated.ts';

export { databaseKinds } from '../../support/jest/test-mode.ts';

export type DatabaseKind = DatabaseLocation['kind'];

/** An empty database that nobody has opened. */
export interface Place {
  location: DatabaseLocation;
  remove(): Promise<void>;
}

function placeOf(database: TestDatabase): Place {
  return { location: { kind: 'postgres', url: database.url }, remove: () => database.drop() };
}

/** A database of its own, of the asked kind. */
export async function choosePlace(kind: DatabaseKind): Promise<Place> {
  if (kind === 'postgres') return placeOf(await freshDatabase());
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  return {
    location: { kind, file: join(folder, 'bridge.db') },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The same with the newest schema. */
export async function chooseMigratedPlace(kind: DatabaseKind): Promise<Place> {
  if (kind === 'postgres') return placeOf(await migratedDatabase());
  const place = await choosePlace(kind);
  copyMigratedFile(place.location);
  return place;
}

/** One database as two processes hold it. */
export interface TwoStores {
  location: DatabaseLocation;
  one: Store;
  two: Store;
  close(): Promise<void>;
}

/** Two stores on one new database. */
export async function openTwoStores(kind: DatabaseKind): Promise<TwoStores> {
  const place = await chooseMigratedPlace(kind);
  const { location } = place;
  const [one, two] = [await openStore(location), await openStore(location)];
  return {
    location,
    one,
    two,
    async close() {
      await one.close();
      await two.close();
      await place.remove();
    },
  };
}
