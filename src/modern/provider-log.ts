import type { EventEmitter } from 'node:events';
import type { Logger } from '../shared/logger.ts';
import type { KoaContextWithOIDC, Provider } from './oidc.ts';
import { onOidcWarning } from './oidc-warnings.ts';

interface ProviderError extends Error {
  error_description?: string | undefined;
  error_detail?: string | undefined;
}

const refusal = (ctx: KoaContextWithOIDC, error: ProviderError) => ({
  path: ctx.path,
  clientId: ctx.oidc.client?.clientId,
  error: error.message,
  description: error.error_description,
  detail: error.error_detail,
});

/** What the authorization server refuses and what goes wrong inside it, as log lines; never a token or a code. */
export function logProvider(provider: Provider, logger: Logger): void {
  onOidcWarning((line) => logger.debug(line));
  provider.on('authorization.error', (ctx, error) =>
    logger.info('authorization refused', refusal(ctx, error)),
  );
  provider.on('grant.error', (ctx, error) => logger.info('token request refused', refusal(ctx, error)));
  provider.on('introspection.error', (ctx, error) =>
    logger.info('introspection refused', refusal(ctx, error)),
  );
  provider.on('revocation.error', (ctx, error) => logger.info('revocation refused', refusal(ctx, error)));
  provider.on('grant.revoked', (ctx) =>
    logger.warn('grant revoked', { clientId: ctx.oidc.client?.clientId, path: ctx.path }),
  );
  provider.on('server_error', (ctx, error) =>
    logger.error('request failed', { path: ctx.path, cause: error }),
  );
  // Without a listener koa prints to the terminal. Its own types know this event, the provider's hide it.
  const koa: EventEmitter = provider;
  koa.on('error', (error: Error) => logger.error('request failed', { cause: error }));
}
