import { readExemptions, readExtensions } from '../../store/lifecycle/lifecycle.ts';
import type { Context } from '../context.ts';
import type { Milestone } from './lifecycle.ts';

/** Why an app was given more time, or is left out of the brownouts of all: what its owner is told beside the times. */
interface LifecycleReasons {
  extensions: Partial<Record<Milestone, string>>;
  exemption: string | undefined;
}

/** The reasons of what nobody ended, in force or not any more; the times stand in the reading of `context.lifecycle`. */
export async function lifecycleReasons(context: Context, clientId: string): Promise<LifecycleReasons> {
  const { durable } = context.store;
  const [extended, exempt] = await Promise.all([readExtensions(durable), readExemptions(durable)]);
  const own = extended.filter((row) => row.client_id === clientId);
  return {
    extensions: Object.fromEntries(own.map(({ name, reason }) => [name, reason])),
    exemption: exempt.find((row) => row.client_id === clientId)?.reason,
  };
}
