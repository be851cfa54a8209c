import type { AppsDeps } from '../../domain/apps/deps.ts';
import type { LifecycleDeps } from '../../domain/lifecycle/deps.ts';

/** The parts of the context that this room uses. */
export type HttpLifecycleDeps = Pick<AppsDeps & LifecycleDeps, 'settings' | 'store' | 'clock' | 'oldBackend'>;
