import type { LimitsDeps } from '../../domain/limits/deps.ts';
import type { TokensDeps } from '../../domain/tokens/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type WireDeps = LimitsDeps & TokensDeps;
