import { normalEmail } from '../../../shared/mail/address.ts';
import type { App } from '../../../store/tables/tables.ts';

/** An app that a batch is about, as it was known and as it will be. */
export interface ImportedApp {
  clientId: string;
  name: string;
  ownerEmail: string | null;
  ownerAccountId: string | null;
  isNew: boolean;
  isRetired: boolean;
  /** Registered apps are named by their owners. */
  isImported: boolean;
  /** A row of this file has named it already. */
  isNamed: boolean;
  createdAt: number | null;
  /** The digests of its secrets, those that have ended too. */
  secrets: Set<string>;
  liveSecrets: number;
  callbacks: Set<string>;
  contacts: Set<string>;
  changes: { name?: string; owner_account_id?: string; owner_email?: string };
  added: { secrets: string[]; callbacks: string[]; contacts: string[] };
}

/** What an import knows of an app from its row, or from none. */
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
