import { z } from 'zod';
import { addSecret, retireSecret } from '../../../domain/apps/app-secrets.ts';
import { registerApp } from '../../../domain/apps/register-app.ts';
import { idIn, text, textOrNull } from '../answers/parts.ts';
import { operation } from '../operation.ts';
import { nothingThere } from '../problems/problems.ts';
import { appPath } from './apps.ts';
import { notPossible } from './refusals.ts';

/** New apps, and the secrets of apps. */

const ONCE = textOrNull.meta({ description: 'Shown once: null where the answer is given again.' });

const WRITE = { method: 'post', needs: 'lead', tag: 'apps', isWrite: true } as const;

export const APP_WRITES = [
  operation({
    ...WRITE,
    id: 'addApp',
    path: '/apps',
    summary: 'Registers an app of the old API; its secret and its owner token are shown once',
    body: z.strictObject({
      name: z.string().max(500),
      callbacks: z.array(z.string().max(2000)).max(50),
      contacts: z.array(z.string().max(320)).max(50).optional(),
      owner: z
        .string()
        .max(320)
        .meta({ description: 'An account id, or an e-mail address that its owner has to prove.' }),
    }),
    answer: z.object({ client_id: text, client_secret: ONCE, owner_token: ONCE }),
    secrets: ['client_secret', 'owner_token'],
    problems: ['not-possible'],
    async run(context, { body: { contacts = [], ...app }, origin }) {
      const made = await registerApp(context, { ...app, contacts, ...origin });
      if (!made) throw notPossible('An app with this client id exists already.');
      return { client_id: made.clientId, client_secret: made.clientSecret, owner_token: made.ownerToken };
    },
  }),
  operation({
    ...WRITE,
    id: 'addAppSecret',
    path: '/apps/{client_id}/secrets',
    summary: 'Makes a second secret of an app, which is shown once; the first one keeps working',
    parameters: appPath,
    body: z.strictObject({}),
    answer: z.object({ client_id: text, secret_id: text, client_secret: ONCE }),
    secrets: ['client_secret'],
    problems: ['not-found', 'not-possible'],
    async run(context, { path: { client_id: clientId }, origin }) {
      const added = await addSecret(context, { clientId, ...origin });
      if (added === 'unknown app') throw nothingThere('No app has this client id.');
      if (typeof added === 'string')
        throw notPossible('The app has two secrets already. Retire one of them first.');
      return { client_id: clientId, secret_id: added.id, client_secret: added.secret };
    },
  }),
  operation({
    ...WRITE,
    id: 'retireAppSecret',
    path: '/apps/{client_id}/secrets/{secret_id}/retire',
    summary: 'Ends one of two secrets of an app at once',
    parameters: appPath.extend({ secret_id: idIn }),
    body: z.strictObject({}),
    answer: z.object({ client_id: text, secret_id: text }),
    problems: ['not-found', 'not-possible'],
    async run(context, { path: { client_id: clientId, secret_id: id }, origin }) {
      const retired = await retireSecret(context, { clientId, id, ...origin });
      if (retired === 'last') throw notPossible('This is the only secret of the app. Add another one first.');
      if (retired === 'unknown') throw nothingThere('No live secret of the app has this id.');
      return { client_id: clientId, secret_id: id };
    },
  }),
];
