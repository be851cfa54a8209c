import type { GrantsDeps } from '../grants/deps.ts';
import type { LifecycleDeps } from '../lifecycle/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type TokensDeps = GrantsDeps & LifecycleDeps;
