import { normalEmail } from '../../../shared/mail/address.ts';
import type { App } from '../../../store/tables/tables.ts';

/** An app in a batch, with its known data and its changes. */
export interface ImportedApp {
  clientId: string;
  name: string;
  ownerEmail: string | null;
  ownerAccountId: string | null;
  isNew: boolean;
  isRetired: boolean;
  /** Only an imported app takes its name from a file: owners name registered apps. */
  isImported: boolean;
  /** A row of this file has named the app already. */
  isNamed: boolean;
  createdAt: number | null;
  /** The digests of the app's secrets, including ended secrets. */
  secrets: Set<string>;
  liveSecrets: number;
  callbacks: Set<string>;
  /** The addresses of the app's contacts, including removed ones: no file brings back who was removed or left. */
  contacts: Set<string>;
  changes: { name?: string; owner_account_id?: string; owner_email?: string };
  added: { secrets: string[]; callbacks: string[]; contacts: string[] };
}

/** An app from its row in the database; without a row, a new app. */
export function appWith(clientId: string, app: App | undefined): ImportedApp {
  return {
    clientId,
    name: app?.name ?? '',
    ownerEmail: app?.owner_email ? normalEmail(app.owner_email) : null,
    ownerAccountId: app?.owner_account_id ?? null,
    isNew: app === undefined,
    isRetired: typeof app?.retired_at === 'number',
    isImported: app === undefined || app.source === 'imported',
    isNamed: false,
    createdAt: null,
    secrets: new Set(),
    liveSecrets: 0,
    callbacks: new Set(),
    contacts: new Set(),
    changes: {},
    added: { secrets: [], callbacks: [], contacts: [] },
  };
}
