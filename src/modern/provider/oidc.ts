// The only module that imports oidc-provider. oidc-warnings catches the load-time notices and must come first.
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
