import type { Config } from './config.ts';
import type { Context } from './domain/context.ts';
import { OUT_OF_BAND } from './domain/callback-rule.ts';
import { registerApp, registerCallback } from './domain/register-app.ts';

/** The demo app's values: fixed, so that every start prints the same; served on loopback alone and never in production. */
export const DEMO_APP = {
  clientId: '4e9680c0512f7ed3220000de',
  clientSecret: 'demo-secret-for-loopback-only',
  ownerToken: '1/de30000000000000000000000000de30',
};

/** The demo integration's address. */
export function demoOrigin(config: Config): string {
  return `http://${new URL(config.publicUrl).hostname}:${config.embedded.demoPort}`;
}

/** Registers the demo app, owned by the demo account; a second start adds the callback of a moved demo and no more. */
export async function seedDemo(context: Context, config: Config, ownerAccountId: string): Promise<void> {
  const callback = `${demoOrigin(config)}/connect/buffer/callback`;
  const registered = await registerApp(context, {
    name: 'Demo integration',
    callbacks: [callback, OUT_OF_BAND],
    owner: ownerAccountId,
    actor: 'demo',
    fixed: DEMO_APP,
  });
  if (registered) return;
  await registerCallback(context, { clientId: DEMO_APP.clientId, uri: callback, actor: 'demo' });
}
