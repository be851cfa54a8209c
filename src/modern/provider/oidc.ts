// The only door to oidc-provider: its load-time notices go through oidc-warnings, which therefore comes first.
// oxlint-disable-next-line import/no-unassigned-import -- wanted for its effect
import './oidc-warnings.ts';

export { errors, Provider } from 'oidc-provider';
export type {
  Adapter,
  AdapterFactory,
  AdapterPayload,
  Configuration,
  KoaContextWithOIDC,
} from 'oidc-provider';
