import type { DemoCredentials } from '../settings.ts';
import type { ModernStore } from '../store/store.ts';
import { demoChannels } from './channels.ts';
import { demoCredentials } from './credentials.ts';
import { seedIdeas } from './ideas.ts';
import { demoPeople } from './people.ts';
import { seedPostTemplates } from './post-templates.ts';
import { seedPosts, seedTags } from './posts.ts';
import { seedSnippets } from './snippets.ts';

/** Writes all contents or no contents, and only once: contents that people delete stay deleted. */
function seedContents(store: ModernStore): void {
  const now = Date.now();
  store.posts.write(now, () => {
    if (!seedTags(store)) return;
    seedPosts(store, now);
    seedPostTemplates(store);
    seedIdeas(store);
    seedSnippets(store);
  });
}

/**
 * Puts the demo people and their channels into the store and returns the demo credentials. All ids are fixed and
 * existing rows stay: a second start changes nothing.
 */
export function seedModernDemo(store: ModernStore): DemoCredentials {
  const { accounts, publishing } = store;
  for (const { account, passwordHash, organizations } of demoPeople) {
    accounts.add(account, passwordHash);
    for (const [position, organization] of organizations.entries()) {
      publishing.addOrganization(account.id, organization, position);
    }
  }
  for (const [position, channel] of demoChannels.entries()) publishing.addChannel(channel, position);
  seedContents(store);
  return demoCredentials(store);
}
