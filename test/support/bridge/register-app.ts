import { type Registration, registerApp } from '../../../src/domain/apps/register-app.ts';
import type { Bridge } from '../../../src/app/bridge.ts';
import type { LegacyApp } from '../callers/authorize.ts';

export interface RegisteredApp extends LegacyApp {
  /** The token that the registration made for the owner; unmapped until the owner authorizes the app. */
  ownerToken: string;
}

/** An app of an owner who has never signed in, as `apps add` would register it. */
export async function registerLegacyApp(
  { context }: Bridge,
  callback: string,
  owner: Registration['owner'] = 'owner@old-app.example',
  clientId?: string,
): Promise<RegisteredApp> {
  const registration = {
    name: 'Old App',
    callbacks: [callback],
    owner,
    actor: 'test',
    requestId: null,
    ...(clientId && { clientId }),
  };
  const registered = await registerApp(context, registration);
  if (!registered) throw new Error('a registration without a fixed id is never refused as known');
  return { ...registered, callback };
}
