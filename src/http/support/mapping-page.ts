import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support/mappings/:mappingId. */
export function mappingRoutes(_router: Router, _frame: Frame): void {}
