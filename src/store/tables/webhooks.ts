import type { ColumnType, Generated } from 'kysely';

/** The rows of webhooks and of the messages to them. */

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** Whose a webhook is: of the owner of an app, of support, or of the operator. */
export type WebhookKind = 'app' | 'support' | 'operator';

interface WebhooksTable {
  id: string;
  kind: WebhookKind;
  client_id: Nullable<string>;
  url: string;
  /** Names of events, with blanks between. */
  events: string;
  made_by: string;
  created_at: number;
  tried_at: Generated<number>;
  failures: Generated<number>;
  rest_until: Generated<number>;
  /** 1 while the receiver has not answered quickly. */
  is_slow: Generated<number>;
  left_out: Generated<number>;
}

interface WebhookSecretsTable {
  id: string;
  webhook_id: string;
  signing_sealed: string;
  created_at: number;
  /** Null for the present secret. */
  ends_at: Nullable<number>;
}

export type WebhookDeliveryState = 'due' | 'sending' | 'delivered' | 'dead';

interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event: string;
  /** What the message tells, once for each webhook. */
  told: string;
  body: string;
  state: WebhookDeliveryState;
  attempts: Generated<number>;
  next_at: number;
  claim_id: Nullable<string>;
  claimed_at: Nullable<number>;
  status: Nullable<number>;
  failure: Nullable<string>;
  created_at: number;
  ended_at: Nullable<number>;
}

/** One row at most. */
interface WebhookReadingTable {
  singleton: 1;
  position: number;
  chain: string;
}

/** The durable database. */
export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_reading: WebhookReadingTable;
}
