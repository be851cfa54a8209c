import type { TimedWords } from '../../../domain/usage/counted-days.ts';
import type { MigrationProgress } from '../../../domain/handover/migration-checklist.ts';
import type { OldApiStatus } from '../../../domain/lifecycle/old-api-status.ts';

/** What a step of the migration checklist is made from, and what it says. */

export interface ChecklistStep {
  /** The id of its heading on the page. */
  id: string;
  /** In a list of all steps. */
  name: string;
  title: string;
  /** The title as a task. */
  todo: string;
  state: 'done' | 'partly' | 'open';
  /** Words, and times that the reader gets in their own form. */
  evidence: string | TimedWords;
  /** The programs that keep the step from being done, the most frequent callers first. */
  details: string[];
  /** Undefined where no task is left, and where no person can help. `isForOwner`: only the owner may open its page. */
  next: { text: string; label: string; href: string; isForOwner?: true } | undefined;
}

/** The page to which the steps link, and the phase of the old API. */
export interface ChecklistPage extends Pick<OldApiStatus, 'phase' | 'hasOldApi'> {
  /** The address of the app's page. */
  home: string;
}

export type ChecklistInput = MigrationProgress & ChecklistPage;

/** A task on the page of the own client, which only the owner may change. */
export const enterClient = ({ home }: ChecklistPage, words: { text: string; label: string }) =>
  ({ ...words, href: `${home}/modern-client`, isForOwner: true }) as const;

/** The connections made with clients that the app used before. */
export const sumOf = (former: NonNullable<ChecklistInput['grants']['former']>) =>
  former.reduce((sum, { connections }) => sum + connections, 0);
