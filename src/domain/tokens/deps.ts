import type { GrantsDeps } from '../grants/deps.ts';
import type { LifecycleDeps } from '../lifecycle/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type TokensDeps = GrantsDeps & LifecycleDeps;
