import type { ServerResponse } from 'node:http';

/** The refusals of an overload among all answers: they are counted apart, and have no line each in the log. */

const shed = new WeakSet<ServerResponse>();

/** Marks an answer as the refusal of a request that came in an overload. */
export function noteShed(res: ServerResponse): void {
  shed.add(res);
}

export const wasShed = (res: ServerResponse): boolean => shed.has(res);
