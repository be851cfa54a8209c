/** What is told of a write of which nobody knows whether it was done. */

interface Doubt {
  /** What the new API said, where it said that something went wrong on its side. */
  message?: string | undefined;
  /** Such as ` for @name`; empty where the call is about one thing. */
  forWhom?: string;
  /** What may have happened. */
  may: string;
  /** What is not to be sent again at once. */
  again: string;
}

/** Why nothing is known, what may be there, and what to do before the same is sent again. */
export function inDoubtWords({ message, forWhom = '', may, again }: Doubt): string {
  const why =
    message === undefined
      ? `The new API did not answer${forWhom}.`
      : `The new API answered${forWhom}: ${message.replace(/\.$/, '')}.`;
  return `${why} ${may}: look at the profile before you send ${again} again.`;
}
