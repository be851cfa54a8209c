import type { Request, Response } from 'express';
import type { FormBinding } from './form-binding.ts';
import type { SettingsParts } from './parts.ts';
import { readSession } from './session.ts';
import type { OpenVisit, Visit } from './visit.ts';

/** Finds out who comes; `csrf` of a visit is what its form has to bring back. */
export function createVisits(parts: SettingsParts, binding: FormBinding) {
  return {
    /** Undefined when nobody is signed in. */
    async signedIn(req: Request, res: Response): Promise<Visit | undefined> {
      const signedIn = await readSession(parts, { req, res });
      if (!signedIn) return undefined;
      const csrf = binding.ofSession(signedIn.sessionUid);
      return { parts, req, res, ...signedIn, csrf, signOutCsrf: csrf, form: {} };
    },
    /** Also when somebody is signed in, the forms of the page itself are bound to the browser. */
    async open(req: Request, res: Response): Promise<OpenVisit> {
      const signedIn = await readSession(parts, { req, res });
      const signOutCsrf = signedIn && binding.ofSession(signedIn.sessionUid);
      const csrf = binding.ofBrowser(req, res);
      return { parts, req, res, account: signedIn?.account, csrf, signOutCsrf, form: {} };
    },
  };
}

export type Visits = ReturnType<typeof createVisits>;
