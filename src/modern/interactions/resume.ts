import type { NextFunction, Request, Response } from 'express';
import type { Provider } from '../provider/oidc.ts';

/**
 * GET /auth/:uid, the way back from the sign-in page. In the meantime another tab of this browser may have signed in
 * another person. The provider would then ask for a sign-out on a page that this server does not have. This handler
 * shows the sign-in page again.
 */
export function startOverForOthers(provider: Provider) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const context = provider.createContext(req, res);
    const uid = context.cookies.get(provider.cookieName('resume'), { signed: true }) ?? '';
    // Only the browser that began this request can change the request. The provider refuses other browsers.
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
