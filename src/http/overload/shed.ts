import type { ServerResponse } from 'node:http';
import { Note } from '../../shared/memory/note.ts';

/** The refusals for want of room among all answers: they are counted apart, and each has a line only where every request has one. */

const shed = new Note<ServerResponse, true>();

/** Marks an answer as the refusal of a request that came in an overload, or where all places for long answers are taken. */
export function noteShed(res: ServerResponse): void {
  shed.set(res, true);
}

export const wasShed = (res: ServerResponse): boolean => shed.get(res) === true;
