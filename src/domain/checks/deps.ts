import type { AuthorizationServer } from '../../upstream/authorization-server.ts';
import type { CutOverDeps } from '../cut-over/deps.ts';
import type { DomainSettings } from '../domain-settings.ts';
import type { InstanceWatch } from '../instance/instance-watch.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface ChecksDeps extends CutOverDeps {
  settings: Pick<DomainSettings, 'dates' | 'sendsReminders'>;
  server: AuthorizationServer;
  instance: InstanceWatch;
}
