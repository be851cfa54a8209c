import { loadPart } from '../shared/load-part.ts';
import { runAsChild } from './run-as-child.ts';
import type { DemoSettings } from './settings.ts';

runAsChild<DemoSettings>({
  logName: 'demo',
  notByHand: 'The demo integration is started by npm start, not by hand.',
  async start(settings, logger) {
    const loaded = loadPart('The demo integration', () => import('./integration.ts'));
    return (await loaded).startDemo(settings, logger);
  },
});
