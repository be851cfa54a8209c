import type { Config } from '../config/config.ts';
import { seedDemoData } from './seed.ts';
import { IMPORTED_AGO, momentAgo } from './life.ts';
import type { Context } from '../domain/context.ts';
import { fillDates } from '../domain/lifecycle/fill-dates.ts';
import { OUT_OF_BAND } from '../domain/apps/callback-rule.ts';
import { registerApp, registerCallback } from '../domain/apps/register-app.ts';
import { DAY } from '../shared/lifetimes.ts';

/**
 * The values of the demo app. Fixed, so that every start prints the same values. Served on loopback alone and never in
 * production.
 */
export const DEMO_APP = {
  clientId: '4e9680c0512f7ed3220000de',
  clientSecret: 'demo-secret-for-loopback-only',
  ownerToken: '1/de30000000000000000000000000de30',
};

/** The settings that say where the demo is served. */
type DemoAddressConfig = Pick<Config, 'publicUrl'> & { embedded: Pick<Config['embedded'], 'demoPort'> };

/** The demo integration's address. */
export function demoOrigin(config: DemoAddressConfig): string {
  return `http://${new URL(config.publicUrl).hostname}:${config.embedded.demoPort}`;
}

const RETIRES_AFTER = 60 * DAY;

/**
 * In a database without dates: the old API is deprecated since the day of the first start and retires 60 days later.
 */
async function seedDates(context: Context): Promise<void> {
  const now = context.clock.now();
  const today = now - (now % DAY);
  const dates = { deprecation: today, retirement: today + RETIRES_AFTER };
  if (await fillDates(context, dates, 'demo')) await context.lifecycle.refresh();
}

/** The context with its clock set to the moment of the import. */
function longAgo(context: Context): Context {
  const at = momentAgo(context.clock.now(), IMPORTED_AGO);
  return { ...context, clock: { ...context.clock, now: () => at } };
}

/** Registers the demo app, owned by the demo account. A later start only adds the callback of a demo that has moved. */
async function seedApp(context: Context, config: DemoAddressConfig, ownerAccountId: string): Promise<void> {
  const callback = `${demoOrigin(config)}/connect/buffer/callback`;
  const registered = await registerApp(longAgo(context), {
    name: 'Demo integration',
    callbacks: [callback, OUT_OF_BAND],
    owner: ownerAccountId,
    actor: 'demo',
    requestId: null,
    fixed: DEMO_APP,
  });
  if (registered) return;
  await registerCallback(context, { clientId: DEMO_APP.clientId, uri: callback, actor: 'demo' });
}

/** Writes all demo data. A later start leaves the demo data as it is. */
export async function seedDemo(
  context: Context,
  config: DemoAddressConfig,
  ownerAccountId: string,
): Promise<void> {
  await seedDates(context);
  await seedApp(context, config, ownerAccountId);
  await seedDemoData(context, DEMO_APP);
}
