/** A minute ago, in ISO 8601. Last uses are kept to the minute: a busy app does not write with every call. */
export const minuteAgo = (): string => new Date(Date.now() - 60_000).toISOString();
