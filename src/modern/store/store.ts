import { createAccounts } from './accounts.ts';
import { createClients } from './clients.ts';
import { openDatabase } from './database.ts';
import { createIdeas } from './ideas.ts';
import { createAdapterFactory } from './oidc-adapter.ts';
import { createOidcRecords } from './oidc-records.ts';
import { createPosts } from './posts.ts';
import { createPublishing } from './publishing.ts';
import { createSealer } from './sealing.ts';
import { loadSecretKeys } from './secret-keys.ts';
import { createSnippets } from './snippets.ts';

export type Store = ReturnType<typeof openStore>;

/** Everything the modern generation remembers; expired rows are gone once it is open. */
export function openStore(databaseFile: string) {
  const db = openDatabase(databaseFile);
  const keys = loadSecretKeys(databaseFile);
  const records = createOidcRecords(db);
  const clients = createClients(db, keys.digestKey);
  const accounts = createAccounts(db);
  const publishing = createPublishing(db, accounts);
  const posts = createPosts(db);
  const ideas = createIdeas(db);
  const snippets = createSnippets(db);
  records.purgeExpired();
  return {
    keys,
    records,
    clients,
    accounts,
    publishing,
    posts,
    ideas,
    snippets,
    mainApi: { ...publishing, posts, ideas, snippets },
    adapter: createAdapterFactory({ records, clients, sealer: createSealer(keys.sealingKey) }),
    close: () => void db.close(),
  };
}
