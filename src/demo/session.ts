import type { Message } from './message.ts';

/** One step of the old flow, kept for the page. */
export interface FlowStep {
  title: string;
  remark: string;
  request: Message;
  /** Undefined when no answer came, and for a step of the browser. */
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

/** The demo state of one browser. Held in memory only, so lost when the process ends. */
export interface DemoSession {
  token?: string | undefined;
  /** The person for whom the token acts, as user.json said. */
  person?: string | undefined;
  deauthorized?: boolean;
  profiles: Profile[];
  steps: FlowStep[];
  /** The result of the last write, kept until a page has shown the result. */
  notice?: string | undefined;
}

declare module 'express-session' {
  interface SessionData {
    demo: DemoSession;
    /** The client library's own state of a running authorization. */
    grant: unknown;
  }
}

// The first five steps are the flow itself and stay. Of the later reads only the newest are kept.
export const FLOW_STEPS = 5;
const LATER_STEPS = 6;

/** Adds one step. Drops the oldest later step when there are too many. */
export function addStep(demo: DemoSession, step: FlowStep): void {
  demo.steps.push(step);
  if (demo.steps.length > FLOW_STEPS + LATER_STEPS) demo.steps.splice(FLOW_STEPS, 1);
}
