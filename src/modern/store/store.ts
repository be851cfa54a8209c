import { createAccounts } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { createAppUses } from './clients/app-uses.ts';
import { createClients } from './clients/clients.ts';
import { createConnectedApps } from './clients/connected-apps.ts';
import { openDatabase } from './database.ts';
import { createDigest } from './digests.ts';
import { createEmailChanges } from './email-changes.ts';
import { createIdeas } from './posts/ideas.ts';
import { createAdapterFactory } from './oidc-adapter.ts';
import { createOidcRecords } from './oidc-records.ts';
import { createOwnClients } from './clients/own-clients.ts';
import { createPasswordChange } from './password-change.ts';
import { createPosts } from './posts/posts.ts';
import { createPostTemplates } from './posts/post-templates.ts';
import { createPublishing } from './posts/publishing.ts';
import { createSealer } from './sealing.ts';
import { loadSecretKeys } from './clients/secret-keys.ts';
import { createSnippets } from './posts/snippets.ts';
import { createUsedForms } from './used-forms.ts';

export type ModernStore = ReturnType<typeof openModernStore>;

/** Opens the store of the embedded new API and removes expired rows. */
export function openModernStore(databaseFile: string) {
  const db = openDatabase(databaseFile);
  const keys = loadSecretKeys(databaseFile);
  const records = createOidcRecords(db);
  const digest = createDigest(keys.digestKey);
  const usedForms = createUsedForms(db);
  const clients = createClients(db, digest);
  const accounts = createAccounts(db);
  const appUses = createAppUses(db);
  const emailChanges = createEmailChanges(db, accounts);
  const connectedApps = createConnectedApps(db, { records, appUses });
  const publishing = createPublishing(db, { accounts, connectedApps });
  const posts = createPosts(db);
  const postTemplates = createPostTemplates(db);
  const ideas = createIdeas(db);
  const snippets = createSnippets(db);
  const purge = (): boolean => {
    usedForms.purge();
    emailChanges.purge();
    return records.purgeExpired();
  };
  while (purge());
  return {
    keys,
    records,
    clients,
    ownClients: createOwnClients(db, { digest, usedForms, records, appUses }),
    apiKeys: createApiKeys(db, { digest, usedForms }),
    connectedApps,
    appUses,
    accounts,
    emailChanges,
    changePassword: createPasswordChange(db, { records, emailChanges }),
    publishing,
    posts,
    postTemplates,
    ideas,
    snippets,
    mainApi: { ...publishing, posts, postTemplates, ideas, snippets },
    adapter: createAdapterFactory({ records, accounts, clients, sealer: createSealer(keys.sealingKey) }),
    /** Removes expired rows, in pieces. True when another call has more to remove. */
    purge,
    close: () => void db.close(),
  };
}
