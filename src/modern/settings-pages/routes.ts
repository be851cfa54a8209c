/**
 * The settings pages (docs/embedded-new-api.md), below /settings: settings that people change themselves. The folder
 * owns no rules of OAuth, which belong to the provider. Storage is in store/.
 */
import type { Router } from 'express';
import { addAccount } from './account/account.ts';
import { createAnswers } from './answers.ts';
import { addApi } from './api.ts';
import { addApps } from './apps.ts';
import { addClientSecrets } from './clients/client-secrets.ts';
import { addClients } from './clients/clients.ts';
import { createDesk } from './desk.ts';
import { addKeyPages } from './keys/keys.ts';
import type { SettingsPagesDeps } from './parts.ts';
import { addSignIn } from './account/sign-in.ts';
import { goTo } from './visit.ts';

export function createSettings(parts: Omit<SettingsPagesDeps, 'answers'>): Router {
  return createDesk({ ...parts, answers: createAnswers() }, (desk) => {
    desk.openGet('/', (visit) => goTo(visit, '/settings/api'));
    addSignIn(desk);
    addApi(desk);
    addKeyPages(desk);
    addClients(desk);
    addClientSecrets(desk);
    addApps(desk);
    addAccount(desk);
  });
}
