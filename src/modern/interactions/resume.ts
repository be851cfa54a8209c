import type { NextFunction, Request, Response } from 'express';
import type { Provider } from '../oidc.ts';

/**
 * GET /auth/:uid, on the way back from the sign-in page: in the meantime this browser was signed in as somebody else, in
 * another tab. The provider would ask whom to sign out on a page that is not served here; the sign-in page is asked again.
 */
export function startOverForOthers(provider: Provider) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const interaction = await provider.Interaction.find(String(req.params['uid']));
    const wanted = interaction?.result?.login?.accountId;
    const { accountId } = await provider.Session.get(provider.createContext(req, res));
    if (!interaction || wanted === undefined || accountId === undefined || accountId === wanted) {
      next();
      return;
    }
    interaction.result = undefined;
    await interaction.persist();
    res.redirect(303, `/interaction/${interaction.uid}`);
  };
}
