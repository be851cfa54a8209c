import type { EventEmitter } from 'node:events';
import type { Logger } from '../../shared/log/logger.ts';
import { createRefusalLog, kindOf } from '../../shared/log/refusal-log.ts';
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

/** Whether the client disconnected before the whole request arrived. */
const isCut = ({ req }: Pick<KoaContextWithOIDC, 'req'>): boolean => !req.complete;

/** Logs the refusals and the failures of the authorization server; never a token or a code. */
export function logProvider(provider: Provider, logger: Logger): void {
  onOidcWarning((line) => logger.debug(line));
  const note = createRefusalLog({ logger, lines: 10 });
  const refused = (message: string) => (ctx: KoaContextWithOIDC, error: ProviderError) =>
    note({ level: 'info', message, address: ctx.ip, kind: error.message, fields: refusal(ctx, error) });
  provider.on('authorization.error', refused('authorization refused'));
  provider.on('grant.error', refused('token request refused'));
  provider.on('introspection.error', refused('introspection refused'));
  provider.on('revocation.error', refused('revocation refused'));
  provider.on('grant.revoked', (ctx) =>
    logger.warn('grant revoked', { clientId: ctx.oidc.client?.clientId, path: ctx.path }),
  );
  provider.on('server_error', (ctx, error) => {
    const fields = { path: ctx.path, cause: error };
    if (isCut(ctx)) return void logger.debug('a request was cut', fields);
    note({ level: 'error', message: 'request failed', address: ctx.ip, kind: kindOf(error), fields });
  });
  // Without a listener koa prints to the terminal. The types of koa have this event. The types of the provider hide the
  // event.
  const koa: EventEmitter = provider;
  koa.on('error', (cause: Error, ctx?: KoaContextWithOIDC) => {
    if (ctx && isCut(ctx)) return void logger.debug('a request was cut', { cause });
    const address = ctx?.ip ?? '';
    note({ level: 'error', message: 'request failed', address, kind: kindOf(cause), fields: { cause } });
  });
}
