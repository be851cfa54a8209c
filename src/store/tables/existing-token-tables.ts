import type { ColumnType, Generated } from 'kysely';

/** The rows for tokens from before the bridge: the people and ids that the tokens wait for, and their hand-overs. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

export type ContactAccess = 'read' | 'manage';

interface AppContactsTable {
  client_id: string;
  address: string;
  /** What the contact may do on the pages of the app. Null for a contact who gets mails alone. */
  access: Nullable<ContactAccess>;
  /** The address as addresses are compared; null without access. */
  access_email: Nullable<string>;
  /** The account that proved the address; null until then. */
  account_id: Nullable<string>;
}

interface ModernClientsTable {
  /** The client id at the new API. */
  id: string;
  /** The registered app whose consents name this client. */
  client_id: string;
  /** Null for a public client. */
  secret_sealed: Nullable<string>;
  scopes: string;
  proven_at: number;
  /** 1: the client may take pairs at the exchange although consents for the app no longer name the client. */
  keeps_handovers: Generated<number>;
  /** Since when the client's secret proves nothing at the exchange. */
  secret_retired_at: Nullable<number>;
}

export type IdKind = 'profile' | 'account';

interface IdPairsTable {
  kind: IdKind;
  legacy_id: string;
  /** Null while only the e-mail of an account is known. */
  modern_id: Nullable<string>;
  email: Nullable<string>;
  source: 'imported' | 'learned';
  created_at: number;
}

interface ToldIdsTable {
  client_id: string;
  kind: IdKind;
  modern_id: string;
  told_id: string;
  told_at: number;
}

interface ReauthorizationLinksTable {
  id: string;
  client_id: string;
  account_id: string;
  created_at: number;
  used_at: Nullable<number>;
}

interface EmailProofsTable {
  id: string;
  token_digest: string;
  email: string;
  /** The account that asked for the link; null for a link in a reminder, which any account with the address may use. */
  account_id: Nullable<string>;
  created_at: number;
  expires_at: number;
  used_at: Nullable<number>;
}

interface HandoversTable {
  grant_id: string;
  client_id: string;
  account_id: string;
  version: number;
  migrated_tokens: number;
  handed_at: number;
  confirmed_at: Nullable<number>;
}

/** The durable database. */
export interface ExistingTokenTables {
  app_contacts: AppContactsTable;
  modern_clients: ModernClientsTable;
  id_pairs: IdPairsTable;
  told_ids: ToldIdsTable;
  reauthorization_links: ReauthorizationLinksTable;
  email_proofs: EmailProofsTable;
  handovers: HandoversTable;
}

interface SessionsTable {
  id_digest: string;
  content: string;
  expires_at: number;
  /** The account of the session; null in a session from before this column. */
  account_id: Nullable<string>;
}

interface UsageTable {
  mapping_id: string;
  day: string;
  endpoint: string;
  carrier: string;
  user_agent: string;
  outcome: string;
  calls: number;
  last_at: number;
}

/** Like usage, for all tokens of an app. */
type AppCallsTable = Omit<UsageTable, 'mapping_id'> & { client_id: string };

interface AppCallsBeginTable {
  singleton: 1;
  whole_after: number;
  lost_before: Generated<number>;
}

interface ShadowDifferencesTable {
  endpoint: string;
  field: string;
  difference: string;
  times: number;
  last_at: number;
}

/** The volatile database. */
export interface VolatileTokenTables {
  sessions: SessionsTable;
  usage: UsageTable;
  app_calls: AppCallsTable;
  app_calls_begin: AppCallsBeginTable;
  shadow_differences: ShadowDifferencesTable;
}
