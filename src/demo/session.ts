import type { Message } from './message.ts';

/** One step of the old flow, kept for the page. */
export interface Step {
  title: string;
  remark: string;
  request: Message;
  /** Undefined when none came, and for what the browser did. */
  answer: Message | undefined;
  isBrowser?: boolean;
}

/** The parts of an old profile that its card shows. */
export interface Profile {
  id: string;
  service: string;
  formatted_service?: string;
  formatted_username?: string;
  service_username?: string;
  timezone?: string;
}

/** The parts of an old update that the queue shows. */
export interface Update {
  id: string;
  text: string;
  day?: string;
  due_time?: string;
}

/** What the demo remembers for one browser, in memory alone and gone with the process. */
export interface DemoSession {
  token?: string | undefined;
  /** Who the token acts for, as user.json said. */
  person?: string | undefined;
  deauthorized?: boolean;
  profiles: Profile[];
  steps: Step[];
  /** What the last write was answered, until a page has said it. */
  notice?: string | undefined;
}

declare module 'express-session' {
  interface SessionData {
    demo: DemoSession;
    /** The client library's own state of a running authorization. */
    grant: unknown;
  }
}

// The first five steps are the flow itself and stay; of the later reads only the newest are kept.
export const FLOW_STEPS = 5;
const LATER_STEPS = 6;

/** Adds one step, dropping the oldest of the later ones when there are too many. */
export function addStep(demo: DemoSession, step: Step): void {
  demo.steps.push(step);
  if (demo.steps.length > FLOW_STEPS + LATER_STEPS) demo.steps.splice(FLOW_STEPS, 1);
}
