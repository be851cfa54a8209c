import type { IncomingMessage } from 'node:http';
import { Overloaded } from '../../domain/limits/overload/overload.ts';
import { provenApp } from '../../domain/tokens/proven-app.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { OverloadDeps } from './deps.ts';
import { Note } from '../../shared/memory/note.ts';

/** Which calls are answered while this process has more to do than it can. Each call is judged once. */

const verdicts = new Note<IncomingMessage, boolean>();

/** Whether a call may be answered. Always true while there is no overload. */
export function hasRoom(
  { overload }: Pick<OverloadDeps, 'overload'>,
  req: IncomingMessage,
  token: string | undefined,
): boolean {
  if (!overload.isOn()) return true;
  const known = verdicts.get(req);
  if (known !== undefined) return known;
  const isAdmitted = overload.admits(token);
  verdicts.set(req, isAdmitted);
  return isAdmitted;
}

/**
 * Whether the kept answer of a call may be looked for. It costs about as much as a refusal, so nobody is helped by the refusal
 * of a call that has one. A call of an app that the process does not know, or whose calls often have none, needs room first.
 */
export const mayAskForKept = (
  context: Pick<OverloadDeps, 'overload'>,
  req: IncomingMessage,
  token: string,
): boolean => !context.overload.isOn() || context.overload.mayHaveKept(token) || hasRoom(context, req, token);

/** Remembers which app a token belongs to: in an overload each app has its share. A token without a proven app has none. */
export function learnApp(
  { overload }: Pick<OverloadDeps, 'overload'>,
  token: string,
  mapping: Parameters<typeof provenApp>[0],
): void {
  const app = provenApp(mapping);
  if (app !== undefined) overload.learn(token, app);
}

/** The callers that are refused together should not come again together. */
const COME_AGAIN_WITHIN = 3;

/** When a refused caller may come again, in whole seconds. */
export const comeAgainAfter = ({ chance }: Pick<OverloadDeps, 'chance'>): number =>
  1 + Math.floor(chance() * COME_AGAIN_WITHIN);

/** The refusal of a call. */
export const overloaded = (context: Pick<OverloadDeps, 'chance'>): Overloaded =>
  new Overloaded('the bridge has more calls than it can answer', {
    retryAfter: comeAgainAfter(context) * SECOND,
  });
