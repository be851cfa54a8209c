import type { Request, Response } from 'express';
import type { FormBinding } from './form-binding.ts';
import type { SettingsPagesDeps } from './parts.ts';
import { readSession } from './session.ts';
import type { OpenVisit, Visit } from './visit.ts';

/** Finds the signed-in account of a request. `csrf` of a visit is the value that its forms must send back. */
export function createVisits(parts: SettingsPagesDeps, binding: FormBinding) {
  return {
    /** Undefined when no account is signed in. */
    async signedIn(req: Request, res: Response): Promise<Visit | undefined> {
      const signedIn = await readSession(parts, { req, res });
      if (!signedIn) return undefined;
      const csrf = binding.ofSession(signedIn.sessionUid);
      return { parts, req, res, ...signedIn, csrf, signOutCsrf: csrf, form: {} };
    },
    /** The forms of the page itself are bound to the browser, also when an account is signed in. */
    async open(req: Request, res: Response): Promise<OpenVisit> {
      const signedIn = await readSession(parts, { req, res });
      const signOutCsrf = signedIn && binding.ofSession(signedIn.sessionUid);
      const csrf = binding.ofBrowser(req, res);
      return { parts, req, res, account: signedIn?.account, csrf, signOutCsrf, form: {} };
    },
  };
}

export type Visits = ReturnType<typeof createVisits>;
