import type { App, Mapping } from '../tables/tables.ts';

/** A token with a grant, and all that a plain call needs to know of it. */
export interface PlainToken
  extends Pick<
    Mapping,
    | 'id'
    | 'client_id'
    | 'account_id'
    | 'state'
    | 'reason'
    | 'source'
    | 'app_proven'
    | 'hint_first'
    | 'hint_last'
  > {
  app_source: App['source'];
  grant_id: string;
}

/** The columns of a `PlainToken`, of `mappings join apps using (client_id)`. */
export const PLAIN_TOKEN = `mappings.id, mappings.client_id, mappings.account_id, mappings.grant_id, mappings.state,
  mappings.reason, mappings.source, mappings.app_proven, hint_first, hint_last, apps.source as app_source`;

/** The token of a digest, if a grant stands behind it. The state is read on every call, as `findMapping` does. */
export const ofDigest = (digest = '') =>
  `where retired_at is null and mappings.grant_id is not null and token_digest = ${digest}`;
