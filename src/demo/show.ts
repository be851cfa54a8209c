import { join } from 'node:path';
import type { Response } from 'express';
import { createPages } from '../shared/pages.ts';
import { projectRoot } from '../shared/project-root.ts';
import { demoOf, type FailureHandler } from './connect.ts';
import { presentMessage } from './message.ts';
import { connectPath } from './old-client.ts';
import { type DemoSession, FLOW_STEPS, type Profile, type Update } from './session.ts';
import type { DemoSettings } from './settings.ts';

/** The posts of one profile. */
interface ShownQueue {
  profile: Profile;
  updates: Update[];
  total: number;
}

/** Writes the demo's pages. */
export interface DemoPages {
  start: (res: Response, demo: DemoSession) => void;
  flow: (res: Response, demo: DemoSession) => void;
  posts: (res: Response, demo: DemoSession, queue: ShownQueue | undefined) => void;
  failure: FailureHandler;
}

/** The demo's pages for one set of settings. The app's secret is masked on all pages. */
export function createShow({ bridgeUrl, clientId, clientSecret }: DemoSettings): DemoPages {
  const pages = createPages(join(projectRoot, 'src', 'demo', 'views'));
  const site = { siteName: 'Old integration (demo)', siteLink: '/', bridgeUrl, clientId, connectPath };
  const steps = (demo: DemoSession) =>
    demo.steps.map((step) => ({
      ...step,
      request: presentMessage(step.request, clientSecret),
      answer: step.answer && presentMessage(step.answer, clientSecret),
    }));
  const send = (res: Response, template: string, data: Record<string, unknown>) => {
    res.type('html').send(pages.render(template, { ...site, ...data }));
  };
  return {
    start: (res, demo) => send(res, 'start', { title: 'Connect', connected: demo.token !== undefined }),
    flow: (res, demo) => send(res, 'flow', { title: 'The old flow, step by step', demo, steps: steps(demo) }),
    posts: (res, demo, queue) =>
      send(res, 'posts', { title: 'Posts', demo, queue, steps: steps(demo).slice(FLOW_STEPS) }),
    failure: (req, res, failure) => {
      const demo = demoOf(req);
      res.status(failure.status);
      send(res, 'failure', { ...failure, connected: demo.token !== undefined, steps: steps(demo) });
    },
  };
}
