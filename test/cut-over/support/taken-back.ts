/** The last line of the command after a cut-over (decision 0036). */
export const CAN_BE_TAKEN_BACK: unknown = expect.stringMatching(
  /^Until \S+ this can be taken back: grantbridge history undo \d+ --reason TEXT$/,
);
