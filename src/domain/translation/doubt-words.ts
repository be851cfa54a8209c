import type { OldCallName } from '../old-calls/old-calls.ts';

/** The message for a write in doubt. */

interface Doubt {
  /** The API that did not answer; the new one where it is absent. */
  api?: 'new' | 'old';
  /** The text of the new API, if the new API reported a fault of its own. */
  message?: string | undefined;
  /** For example ` for @name`; empty where the call concerns a single post. */
  forWhom?: string;
  /** The effect that the write may have had. */
  may: string;
  /** The thing that the caller should not send again at once. */
  again: string;
}

/** Says why the outcome of a write is unknown. */
export function whyInDoubt({
  api = 'new',
  message,
  forWhom = '',
}: Pick<Doubt, 'api' | 'message' | 'forWhom'>): string {
  return message === undefined
    ? `The ${api} API did not answer${forWhom}.`
    : `The ${api} API answered${forWhom}: ${message.replace(/\.$/, '')}.`;
}

/** Says why the outcome is unknown, which effect is possible, and what the reader should check before sending again. */
export function inDoubtWords({ may, again, ...doubt }: Doubt): string {
  return `${whyInDoubt(doubt)} ${may}: look at the profile before you send ${again} again.`;
}

/** The effect that each call that writes may have had. */
export const POSSIBLE_EFFECTS = {
  createUpdate: 'The update may have been posted',
  changeUpdate: 'The update may have been changed',
  shareUpdate: 'The update may have been posted',
  destroyUpdate: 'The update may have been deleted',
  moveUpdateToTop: 'The update may have been moved',
  reorderUpdates: 'The updates may have been reordered',
  shuffleUpdates: 'The updates may have been shuffled',
  updateSchedules: 'The posting times may have been changed',
} as const satisfies Partial<Record<OldCallName, string>>;

const effectOf = (call: OldCallName | undefined): string =>
  call !== undefined && call in POSSIBLE_EFFECTS
    ? POSSIBLE_EFFECTS[call as keyof typeof POSSIBLE_EFFECTS]
    : 'The call may have been carried out';

/** The message for a call that was passed to the old API and whose answer is lost. */
export function lostThereWords(call: OldCallName | undefined): string {
  const again = call === 'createUpdate' ? 'the update' : 'the call';
  return inDoubtWords({ api: 'old', may: effectOf(call), again });
}
