import { loadPart } from '../../shared/load-part.ts';
import { runAsChild } from '../run-as-child.ts';
import type { OldServerSettings } from './settings.ts';

runAsChild<OldServerSettings>({
  logName: 'old API of the demo',
  notByHand: 'The old API of the demo is started by npm start, not by hand.',
  async start(settings, logger) {
    const loaded = loadPart('The old API of the demo', () => import('./server.ts'));
    return (await loaded).startOldServer(settings, logger);
  },
});
