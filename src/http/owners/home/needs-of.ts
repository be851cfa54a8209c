import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { type AppTokens, stoppedApps, tokensOfAccount } from '../../../domain/tokens/tokens-of-account.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import type { OwnersDeps } from '../deps.ts';
import { appNeed, type AppNeed } from './home-needs.ts';
import { sortByUrgency, urgencyOf } from './urgency.ts';

/** The apps that use an account, and what they need from its holder. */

type StoppedApps = Awaited<ReturnType<typeof stoppedApps>>;

/** The apps whose tokens act for the person, the most urgent first. */
function inOrder(context: OwnersDeps, connected: readonly AppTokens[], stopped: StoppedApps): AppTokens[] {
  return sortByUrgency(connected, (app) =>
    urgencyOf({ ...app, stoppedAt: stopped.get(app.clientId)?.at }, appLifecycleNow(context, app.clientId)),
  );
}

/** What each of these apps needs from the person, in the order of the apps. */
function ownNeeds(context: OwnersDeps, connected: readonly AppTokens[], stopped: StoppedApps): AppNeed[] {
  return connected
    .filter(
      ({ clientId, waiting }) =>
        waiting > 0 && oldApiStatusOf(appLifecycleNow(context, clientId)).phase !== 'ended',
    )
    .map((app) =>
      appNeed(app, { stopped: stopped.get(app.clientId), asOf: appLifecycleNow(context, app.clientId) }),
    );
}

/** The apps that use an account, the most urgent first, and the needs of those that wait. */
export async function needsOf(
  context: OwnersDeps,
  accountId: string,
): Promise<{ connected: AppTokens[]; needs: AppNeed[] }> {
  const [unordered, stopped] = await Promise.all([
    tokensOfAccount(context, accountId),
    stoppedApps(context, accountId),
  ]);
  const connected = inOrder(context, unordered, stopped);
  return { connected, needs: ownNeeds(context, connected, stopped) };
}
