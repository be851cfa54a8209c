import { Counter, type Registry } from 'prom-client';

/** What has addresses here beside the old API. `other`: the start page, the public pages, their files, and what nobody serves. */
const SITE_PARTS = ['owners', 'support', 'sign_in', 'staff_api', 'leaks', 'other'] as const;

export type SitePart = (typeof SITE_PARTS)[number];

/** What may become of a request. `shed`: an overload refused it. `hung_up`: its caller did not wait for the answer. */
const ANSWER_OUTCOMES = ['answered', 'refused', 'limited', 'failed', 'shed', 'hung_up'] as const;

export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

export interface SiteMetrics {
  note: (part: SitePart, outcome: AnswerOutcome) => void;
}

/** Counts the answers outside the old addresses. Every series begins at 0: a rule sees the first failure only then. */
export function createSiteMetrics(registry: Registry): SiteMetrics {
  const answers = new Counter({
    name: 'grantbridge_site_answers_total',
    help: 'Answers of pages, of the staff API and to leak reports.',
    labelNames: ['part', 'outcome'],
    registers: [registry],
  });
  for (const part of SITE_PARTS) for (const outcome of ANSWER_OUTCOMES) answers.inc({ part, outcome }, 0);
  return { note: (part, outcome) => answers.inc({ part, outcome }) };
}
