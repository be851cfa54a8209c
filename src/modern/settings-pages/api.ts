import type { SettingsRoutes } from './desk.ts';
import { show, type Visit } from './visit.ts';
import { agoOf, dateOf } from './words.ts';

/** Shows keys and clients on one page. */
function showApi(visit: Visit): void {
  const { account, parts } = visit;
  const { apiKeys, ownClients } = parts.store;
  show(visit, 'settings/api', {
    title: 'API',
    keys: apiKeys.ofAccount(account.id),
    clients: ownClients.ofAccount(account.id),
    agoOf,
    dateOf,
  });
}

export function addApi(desk: SettingsRoutes): void {
  desk.get('/api', showApi);
}
