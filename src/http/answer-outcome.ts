import type { ServerResponse } from 'node:http';
import type { AnswerOutcome } from '../shared/metrics/site-metrics.ts';
import { Note } from '../shared/memory/note.ts';
import { wasShed } from './overload/shed.ts';

const sentToSignIn = new Note<ServerResponse, true>();

/** Marks an answer that sends a stranger to the sign-in: they did not get what they asked for. */
export const noteSentToSignIn = (res: ServerResponse): void => sentToSignIn.set(res, true);

/** What became of a request, once its answer has left or its caller has hung up. */
export function answerOutcome(res: ServerResponse): AnswerOutcome {
  const { writableFinished, statusCode } = res;
  if (!writableFinished) return 'hung_up';
  if (wasShed(res)) return 'shed';
  if (statusCode === 429) return 'limited';
  if (statusCode >= 500) return 'failed';
  return statusCode >= 400 || sentToSignIn.get(res) === true ? 'refused' : 'answered';
}
