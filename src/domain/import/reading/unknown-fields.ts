import type { ImportFields } from './fields.ts';

/** The fields that rows of any type may have. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  `type client_id client_secret client_secret_sha256 name callback_urls owner_email owner_account_id contacts created_at
  legacy_id modern_id email access_token access_token_sha256 account_email account_id last_used_at`.split(
    /\s+/,
  ),
);

/** Only names of letters and underscores are told. Any other text might be a secret in the wrong place. */
const SAFE = /^[A-Za-z_]{1,24}$/;

const NAMES_MAX = 20;

/** Collects the names of fields that an import does not know and ignores. */
export function createUnknownFields() {
  const names = new Set<string>();
  return {
    names,
    note(fields: ImportFields): void {
      for (const name of fields.keys()) {
        if (!KNOWN_FIELDS.has(name) && SAFE.test(name) && names.size < NAMES_MAX) names.add(name);
      }
    },
  };
}
