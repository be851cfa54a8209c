import cookieParser from 'cookie-parser';
import type { Request, RequestHandler, Response } from 'express';
import type { SigninPagesDeps } from '../signin/parts.ts';
import { isSignedIn } from '../signin/session.ts';
import { knowRole } from './reader.ts';

/** Finds out who opens a public page. The page uses this only to say where the visitor can go on. */

/** Whether anybody is signed in; false also where the session was not yet read. */
export function isVisitorKnown(req: Request): boolean {
  return (req as { session?: unknown }).session !== undefined && isSignedIn(req);
}

/** Without a session cookie there is no visitor to look up. */
const mayBeSignedIn = ({ headers }: Request) => /gb_session=/.test(headers.cookie ?? '');

type Step = (req: Request, res: Response, next: (error?: unknown) => void) => unknown;

/** Resolves when the handler calls `next`, and rejects with the error that the handler passes to `next`. */
function run(step: Step, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => (error ? reject(error) : resolve());
    Promise.resolve(step(req, res, done)).catch(reject);
  });
}

/**
 * Looks up the visitor and the role. After a failed look-up the visitor counts as signed out, and the page is shown all
 * the same.
 */
export function createVisitors({ context, sessions }: SigninPagesDeps) {
  const steps: Step[] = [sessions, cookieParser(), knowRole(context)];
  return async (req: Request, res: Response): Promise<void> => {
    if (!mayBeSignedIn(req)) return;
    try {
      for (const step of steps) await run(step, req, res);
    } catch (error) {
      context.logger.warn('a visitor could not be looked up', { error });
    }
  };
}

export type VisitorLookup = ReturnType<typeof createVisitors>;

/** Runs before a public page. */
export function knowVisitor(know: VisitorLookup): RequestHandler {
  return async (req, res, next) => {
    await know(req, res);
    next();
  };
}
