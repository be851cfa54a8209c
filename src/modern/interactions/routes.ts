/**
 * The pages of an authorization request, below /interaction/:uid. The provider decides by its prompt which page is
 * shown. The decision of the person goes back to the provider as an interaction result.
 */
import { Router, urlencoded } from 'express';
import type { Request, Response } from 'express';
import { errorHandler } from '../error-handler.ts';
import { renderErrorPage } from '../error-pages.ts';
import { errors } from '../provider/oidc.ts';
import { decide, showConsent, switchAccount } from './consent.ts';
import { DENIED, finish, type InteractionDeps, loadInteraction } from './interaction.ts';
import { requireSameOrigin } from './same-origin.ts';
import { showSignIn, signIn } from './sign-in.ts';

type InteractionHandler = (parts: InteractionDeps, req: Request, res: Response) => Promise<void>;

async function show(parts: InteractionDeps, req: Request, res: Response): Promise<void> {
  const interaction = await loadInteraction(parts, req, res);
  if (interaction.prompt.name === 'consent') return showConsent(parts, interaction, res);
  return showSignIn(parts, interaction, { res });
}

async function cancel(parts: InteractionDeps, req: Request, res: Response): Promise<void> {
  await loadInteraction(parts, req, res);
  return finish(parts, { req, res }, DENIED);
}

/** A form of another step (an old tab, the back button) leads to the page of the current step. */
function during(prompt: string, action: InteractionHandler): InteractionHandler {
  return async (parts, req, res) => {
    const interaction = await loadInteraction(parts, req, res);
    if (interaction.prompt.name === prompt) return action(parts, req, res);
    res.redirect(303, `/interaction/${interaction.uid}`);
  };
}

/** The same words as on the error pages of the provider: the request is too old, or the app has changed. */
const explainRefusal = ({ pages }: InteractionDeps) =>
  errorHandler((error, res) => {
    if (!(error instanceof errors.OIDCProviderError)) return false;
    const { error: code, error_description: description } = error;
    const expired = error instanceof errors.SessionNotFound;
    res
      .status(400)
      .type('html')
      .send(renderErrorPage(pages, { error: code, description, expired }));
    return true;
  });

export function createInteractions(parts: InteractionDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const run = (action: InteractionHandler) => (req: Request, res: Response) => action(parts, req, res);
  const own = requireSameOrigin(parts.pages);
  const form = urlencoded({ extended: false, inflate: false, limit: '16kb', parameterLimit: 20 });
  router.get('/:uid', run(show));
  router.post('/:uid/sign-in', own, form, run(during('login', signIn)));
  router.post('/:uid/consent', own, form, run(during('consent', decide)));
  router.post('/:uid/switch', own, run(during('consent', switchAccount)));
  router.post('/:uid/cancel', own, run(cancel));
  router.use(explainRefusal(parts));
  return router;
}
