/** Last uses are kept to the minute, so that a busy app does not write with every call. ISO 8601. */
export const minuteAgo = (): string => new Date(Date.now() - 60_000).toISOString();
