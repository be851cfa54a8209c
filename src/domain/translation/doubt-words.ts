/** The message for a write in doubt. */

interface Doubt {
  /** The text of the new API, if the new API reported a fault of its own. */
  message?: string | undefined;
  /** For example ` for @name`; empty where the call concerns a single post. */
  forWhom?: string;
  /** The effect that the write may have had. */
  may: string;
  /** The thing that the caller should not send again at once. */
  again: string;
}

/** Says why the outcome is unknown, which effect is possible, and what the reader should check before sending again. */
export function inDoubtWords({ message, forWhom = '', may, again }: Doubt): string {
  const why =
    message === undefined
      ? `The new API did not answer${forWhom}.`
      : `The new API answered${forWhom}: ${message.replace(/\.$/, '')}.`;
  return `${why} ${may}: look at the profile before you send ${again} again.`;
}
