import type { LimitsDeps } from '../../domain/limits/deps.ts';
import type { TokensDeps } from '../../domain/tokens/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type WireDeps = LimitsDeps & TokensDeps;
