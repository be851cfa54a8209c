import type { DemoCredentials } from '../settings.ts';
import type { Store } from '../store/store.ts';
import { demoChannels } from './channels.ts';
import { demoCredentials } from './credentials.ts';
import { seedIdeas } from './ideas.ts';
import { demoPeople } from './people.ts';
import { seedPosts, seedTags } from './posts.ts';
import { seedSnippets } from './snippets.ts';

/** All of it or nothing, and only once: what people delete stays deleted. */
function seedContents(store: Store): void {
  const now = Date.now();
  store.posts.write(now, () => {
    if (!seedTags(store)) return;
    seedPosts(store, now);
    seedIdeas(store);
    seedSnippets(store);
  });
}

/**
 * Puts the demo people and their channels into the store and returns the credentials to show. All ids are fixed and
 * what is there already stays, so a second start changes nothing.
 */
export async function seedDemo(store: Store): Promise<DemoCredentials> {
  const { accounts, publishing } = store;
  for (const { account, password, organizations } of demoPeople) {
    // One after the other: each hash takes a core for a moment, and only the first start does any.
    // oxlint-disable-next-line no-await-in-loop
    await accounts.add(account, password);
    for (const [position, organization] of organizations.entries()) {
      publishing.addOrganization(account.id, organization, position);
    }
  }
  for (const [position, channel] of demoChannels.entries()) publishing.addChannel(channel, position);
  seedContents(store);
  return demoCredentials(store);
}
