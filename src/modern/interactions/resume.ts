import type { NextFunction, Request, Response } from 'express';
import type { Provider } from '../provider/oidc.ts';

/**
 * GET /auth/:uid, on the way back from the sign-in page: in the meantime this browser was signed in as somebody else, in
 * another tab. The provider would ask whom to sign out on a page that is not served here; the sign-in page is asked again.
 */
export function startOverForOthers(provider: Provider) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const context = provider.createContext(req, res);
    const uid = context.cookies.get(provider.cookieName('resume'), { signed: true }) ?? '';
    // Only the browser that began this request can change it; the provider refuses any other.
    const interaction = uid === req.params['uid'] ? await provider.Interaction.find(uid) : undefined;
    const wanted = interaction?.result?.login?.accountId;
    const { accountId } = await provider.Session.get(context);
    if (!interaction || wanted === undefined || accountId === undefined || accountId === wanted) {
      next();
      return;
    }
    interaction.result = undefined;
    await interaction.persist();
    res.redirect(303, `/interaction/${interaction.uid}`);
  };
}
