import { isScope, scopeWords } from '../scopes.ts';
import type { ConnectedApp } from '../store/clients/connected-apps.ts';
import type { SettingsRoutes } from './desk.ts';
import { goTo, refuse, show, type Visit } from './visit.ts';
import { agoOf, dateOf } from './words.ts';

const permissionsOf = ({ scopes }: ConnectedApp) => scopes.filter(isScope).map((scope) => scopeWords[scope]);

const withHost = (app: ConnectedApp) => ({
  ...app,
  host: app.website === '' ? '' : new URL(app.website).host,
  permissions: permissionsOf(app),
});

function showApps(visit: Visit): void {
  const apps = visit.parts.store.connectedApps.ofAccount(visit.account.id).map(withHost);
  show(visit, 'settings/apps', { title: 'Connected apps', apps, agoOf, dateOf });
}

function appOf(visit: Visit) {
  const apps = visit.parts.store.connectedApps.ofAccount(visit.account.id);
  return apps.find(({ clientId }) => clientId === visit.req.params['id']);
}

function askToRevoke(visit: Visit): void {
  const app = appOf(visit);
  if (app) show(visit, 'settings/app-revoke', { title: `Revoke “${app.name}”?`, app: withHost(app) });
  else refuse(visit, 404);
}

function revoke(visit: Visit): void {
  const app = appOf(visit);
  if (!app) return refuse(visit, 404);
  visit.parts.store.connectedApps.revoke(visit.account.id, app.clientId);
  return goTo(visit, '/settings/apps', 'app-revoked');
}

/** The pages of connected apps. */
export function addApps(desk: SettingsRoutes): void {
  desk.get('/apps', showApps);
  desk.get('/apps/:id/revoke', askToRevoke);
  desk.post('/apps/:id/revoke', revoke);
}
