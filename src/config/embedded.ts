import type { CallQuotas } from './config-values.ts';
import type { Environment } from './environment.ts';

/** What runs beside the bridge on a machine whose settings name no new API. */

export interface EmbeddedConfig {
  /** Of the embedded new API. */
  port: number;
  accessTokenSeconds: number;
  quotas: CallQuotas | undefined;
  demoPort: number;
  /** Of the old API that the demo brings along; undefined where it brings none. */
  oldApiPort: number | undefined;
}

/** The demo brings an old API along where the settings name neither API, unless they want none. */
function oldApiPortOf(env: Environment): number | undefined {
  const isAnyNamed = [env.MODERN_AUTH_URL, env.LEGACY_BACKEND_URL].some((address) => address !== undefined);
  return isAnyNamed || env.DEMO_OLD_API_PORT === 0 ? undefined : env.DEMO_OLD_API_PORT;
}

/** The settings of the parts beside the bridge. */
export const embeddedOf = (env: Environment): EmbeddedConfig => ({
  port: env.MODERN_PORT,
  accessTokenSeconds: env.MODERN_ACCESS_TOKEN_SECONDS,
  quotas: env.MODERN_QUOTAS,
  demoPort: env.DEMO_PORT,
  oldApiPort: oldApiPortOf(env),
});

/** The address of the old API that the settings name, or of the one that the demo brings along. */
export function oldBackendUrlOf(env: Environment): string | undefined {
  const port = oldApiPortOf(env);
  return port === undefined ? env.LEGACY_BACKEND_URL : `http://127.0.0.1:${port}`;
}
