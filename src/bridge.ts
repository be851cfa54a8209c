import type { Config } from './config.ts';
import type { Context } from './domain/context.ts';
import { warnOfIdleSettings } from './domain/fill-dates.ts';
import { findProductionProblem } from './domain/prove-production.ts';
import { startSealing } from './domain/seal-history.ts';
import { startSharing } from './domain/share-limits.ts';
import { createApp } from './http/app.ts';
import { startServer } from './http/server.ts';
import { startJobs } from './jobs/schedule.ts';
import { openWorkshop, type Overrides, type Workshop } from './workshop.ts';

/** What serves: the use cases with an address before them and their regular work. */

export interface Bridge {
  context: Context;
  url: string;
  close(): Promise<void>;
}

/** Files would be counted as mails that reached people. */
const NO_REMINDERS =
  'no reminders are planned or sent: in production they need SMTP_URL, and the dates come whether or not people were told';

async function requireProductionReady(workshop: Workshop): Promise<void> {
  try {
    const problem = await findProductionProblem(workshop.context);
    if (problem !== undefined) throw new Error(problem);
  } catch (error) {
    await workshop.close();
    throw error;
  }
}

/**
 * Starts the bridge against a modern side.
 * @throws {Error} in plain words when keys, database or address are not usable
 */
export async function startBridge(config: Config, overrides: Overrides = {}): Promise<Bridge> {
  if (!config.upstream) {
    throw new Error('no modern side: set MODERN_AUTH_URL, MODERN_API_URL and MODERN_CLIENT_ID');
  }
  const workshop = await openWorkshop(config, config.upstream, overrides);
  const { context } = workshop;
  if (config.production) await requireProductionReady(workshop);
  await warnOfIdleSettings(context, config.dates);
  if (!config.sendsReminders) context.logger.warn(NO_REMINDERS);
  const app = createApp({ ...config, context });
  const stopSharing = await startSharing(context);
  const server = await startServer(config, app).catch(async (error: unknown) => {
    await stopSharing();
    await workshop.close();
    throw error;
  });
  await context.instance.start();
  context.live.start();
  const stopJobs = startJobs(context);
  const stopSealing = startSealing(context);
  context.logger.info('the bridge serves', { port: server.port });
  return {
    context,
    url: `${config.tls ? 'https' : 'http'}://${config.host}:${server.port}`,
    async close() {
      context.live.end();
      await server.close();
      await context.lateTokens.close();
      await context.live.stop();
      await stopJobs();
      await context.flights.close();
      await stopSealing();
      await context.instance.stop();
      await stopSharing();
      await workshop.close();
    },
  };
}
