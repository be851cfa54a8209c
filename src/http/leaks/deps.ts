import type { PagesDeps } from '../pages/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type HttpLeaksDeps = PagesDeps;
