import type { AppsDeps } from '../../domain/apps/deps.ts';
import type { LifecycleDeps } from '../../domain/lifecycle/deps.ts';

/** What this room takes of the context. */
export type HttpLifecycleDeps = Pick<AppsDeps & LifecycleDeps, 'settings' | 'store' | 'clock' | 'oldBackend'>;
