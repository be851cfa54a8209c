import { readExemptions, readExtensions } from '../../store/lifecycle/lifecycle.ts';
import type { LifecycleDeps } from './deps.ts';
import type { Milestone } from './lifecycle.ts';

/** Why an app has more time or an exemption from brownouts: the words that the owner reads beside the times. */
interface LifecycleReasons {
  extensions: Partial<Record<Milestone, string>>;
  exemption: string | undefined;
}

/**
 * The reasons of extensions and exemptions that nobody ended, even where their time is over. `context.lifecycle` has
 * the times.
 */
export async function lifecycleReasons(context: LifecycleDeps, clientId: string): Promise<LifecycleReasons> {
  const { durable } = context.store;
  const [extended, exempt] = await Promise.all([readExtensions(durable), readExemptions(durable)]);
  const own = extended.filter((row) => row.client_id === clientId);
  return {
    extensions: Object.fromEntries(own.map(({ name, reason }) => [name, reason])),
    exemption: exempt.find((row) => row.client_id === clientId)?.reason,
  };
}
