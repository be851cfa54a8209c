/** Whatever was opened, closed in the opposite order, also when a later part could not be opened. */
export function createEnds() {
  const ends: Array<() => unknown> = [];
  return {
    add: (end: () => unknown) => void ends.push(end),
    async run() {
      for (const end of ends.splice(0).toReversed()) await end();
    },
  };
}
