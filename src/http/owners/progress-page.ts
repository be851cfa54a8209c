import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/progress. */
export function progressRoutes(_router: Router, _frame: Frame): void {}
