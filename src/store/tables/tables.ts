import type { ColumnType, Generated, Insertable, Selectable } from 'kysely';
import type { KeyPurpose } from '../../shared/secrets.ts';
import type { ApiTables } from './api-keys.ts';
import type { AuthorizationRequestsTable } from './authorization-requests.ts';
import type { CutOverColumns, CutOverTables } from './cut-over.ts';
import type { ExistingTokenTables, VolatileTokenTables } from './existing-token-tables.ts';
import type { CompanyStaffTables } from './company-staff.ts';
import type { DeedTables } from './deeds.ts';
import type { GrantsTable } from './grants.ts';
import type { LeakTables } from './leaks.ts';
import type { LifecycleTables } from './lifecycle.ts';
import type { LiveTables, PageTables } from './page-tables.ts';
import type { PostTables, VolatilePostTables } from './posts.ts';
import type { WebhookTables } from './webhooks.ts';

export type { DeathCause, GrantState } from './grants.ts';

/** The rows in both databases: times are Unix milliseconds, flags are 0 or 1 (db/SCHEMA.md). */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

interface AppsTable extends CutOverColumns {
  client_id: string;
  name: string;
  owner_account_id: Nullable<string>;
  owner_email: Nullable<string>;
  source: 'registered' | 'imported' | 'observed' | 'demo';
  /** 1 when the owner registered the app on a bridge page. Nobody of the service has checked its callbacks. */
  self_registered: Generated<number>;
  created_at: number;
  retired_at: Nullable<number>;
  /** The app's own client at the new API; null when the app uses the bridge's client. */
  modern_client_id: Nullable<string>;
  /** To the day: the last call of any of the app's tokens that only the old API answers. */
  passed_at: Nullable<number>;
}

interface AppSecretsTable {
  id: string;
  client_id: string;
  secret_digest: string;
  created_at: number;
  retired_at: Nullable<number>;
}

interface AppCallbacksTable {
  client_id: string;
  uri: string;
}

interface AccountsTable {
  account_id: string;
  email: Nullable<string>;
  name: Nullable<string>;
  timezone: Nullable<string>;
  updated_at: number;
}

interface RefreshBreakerTable {
  singleton: number;
  /** Rises with every decision that other processes must not overlook. */
  turn: number;
  tripped_at: Nullable<number>;
  next_at: number;
  pause: number;
  deaths_until: number;
}

export type MappingState = 'unmapped' | 'active' | 'reauthorization_required' | 'revoked' | 'migrated';

/** The states in which a token waits for a consent. */
export const WAITING_STATES: readonly MappingState[] = ['unmapped', 'reauthorization_required'];

export type MappingSource = 'issued' | 'imported' | 'observed' | 'registration';

interface MappingsTable {
  id: string;
  token_digest: string;
  hint_first: Nullable<string>;
  hint_last: Nullable<string>;
  client_id: string;
  account_id: Nullable<string>;
  grant_id: Nullable<string>;
  state: MappingState;
  reason: Nullable<string>;
  source: MappingSource;
  created_at: number;
  updated_at: number;
  /** The holder's e-mail while the account is known only by this e-mail. */
  account_email: Nullable<string>;
  /** To the day: from the import, later from `usage`, which has the exact time. */
  last_used_at: Nullable<number>;
  /** The holder's old account id, while no pair gives the new one. */
  legacy_account_id: Nullable<string>;
  /** When the token was last used again after a long silence. */
  woken_at: Nullable<number>;
  /** The app that a call named first, which gives no right. `app_proven`: whether more than calls prove the app. */
  claimed_client_id: Nullable<string>;
  claimed_at: Nullable<number>;
  app_proven: Generated<number>;
  /** When the old API refused the token while a grant served it. Since then the new API answers all its calls. */
  refused_there_at: Nullable<number>;
}

interface LegacyCodesTable {
  code_digest: string;
  client_id: string;
  redirect_uri: string;
  redirect_uri_given: number;
  account_id: string;
  grant_id: string;
  created_at: number;
  expires_at: number;
  used_at: Nullable<number>;
  mapping_id: Nullable<string>;
}

interface OwedRevocationsTable {
  id: string;
  grant_id: string;
  token_sealed: string;
  attempts: Generated<number>;
  next_at: number;
  created_at: number;
}

interface EventsTable {
  id: Generated<number>;
  at: number;
  actor: string;
  action: string;
  client_id: Nullable<string>;
  account_id: Nullable<string>;
  grant_id: Nullable<string>;
  mapping_id: Nullable<string>;
  reason: Nullable<string>;
  request_id: Nullable<string>;
  uid: Nullable<string>;
  witness: Nullable<string>;
  position: Nullable<number>;
  chain: Nullable<string>;
}

export type KeyState = 'standby' | 'active' | 'old' | 'dropped';

interface KeysTable {
  purpose: KeyPurpose;
  id: string;
  state: KeyState;
  proof: string;
  added_at: number;
  changed_at: number;
}

interface KeyHoldersTable {
  process_id: string;
  machine: string;
  held: string;
  seen_at: number;
}

interface InstanceTable {
  singleton: number;
  id: string;
  state: 'original' | 'copy';
  epoch: number;
  place: string;
}

interface AnswersTable {
  grant_id: string;
  body: string;
  organization_ids: string;
  fetched_at: number;
}

interface LeasesTable {
  name: string;
  holder: string;
  until: number;
}

interface CountsTable {
  key_digest: string;
  points: number;
  ends_at: number;
  changed_at: number;
}

interface BudgetsTable {
  modern_client_id: string;
  share_permille: number;
  said_at: number;
  valid_until: number;
  paused_until: number;
  /** JSON; null when the main API reported no windows. */
  windows: Nullable<string>;
}

/** The durable database. */
export interface Tables
  extends ApiTables,
    CompanyStaffTables,
    DeedTables,
    ExistingTokenTables,
    LeakTables,
    LifecycleTables,
    PageTables,
    PostTables,
    WebhookTables {
  apps: AppsTable;
  app_secrets: AppSecretsTable;
  app_callbacks: AppCallbacksTable;
  accounts: AccountsTable;
  authorization_requests: AuthorizationRequestsTable;
  grants: GrantsTable;
  mappings: MappingsTable;
  legacy_codes: LegacyCodesTable;
  owed_revocations: OwedRevocationsTable;
  events: EventsTable;
  keys: KeysTable;
  key_holders: KeyHoldersTable;
  instance: InstanceTable;
  refresh_breaker: RefreshBreakerTable;
}

/** The volatile database. */
export interface VolatileTables extends VolatileTokenTables, LiveTables, CutOverTables, VolatilePostTables {
  answers: AnswersTable;
  leases: LeasesTable;
  counts: CountsTable;
  budgets: BudgetsTable;
}

export type App = Selectable<AppsTable>;
export type NewApp = Insertable<AppsTable>;
export type Account = Insertable<AccountsTable>;
export type AuthorizationRequest = Selectable<AuthorizationRequestsTable>;
/** A request of an old app, which names the app and its callback. */
export type LegacyRequest = AuthorizationRequest & { client_id: string; redirect_uri: string };
export type NewAuthorizationRequest = Insertable<AuthorizationRequestsTable>;
export type Grant = Selectable<GrantsTable>;
export type NewGrant = Insertable<GrantsTable>;
/** Names one version of a grant's token pair. */
export interface GrantVersion {
  id: string;
  version: number;
}

export type Mapping = Selectable<MappingsTable>;
export type NewMapping = Insertable<MappingsTable>;
export type LegacyCode = Selectable<LegacyCodesTable>;
export type NewLegacyCode = Insertable<LegacyCodesTable>;
export type OwedRevocation = Selectable<OwedRevocationsTable>;
export type Count = Selectable<CountsTable>;
export type Budget = Selectable<BudgetsTable>;
export type Event = Selectable<EventsTable>;
export type NewEvent = Insertable<EventsTable>;
export type KnownKey = Selectable<KeysTable>;
export type Instance = Omit<Selectable<InstanceTable>, 'singleton'>;
