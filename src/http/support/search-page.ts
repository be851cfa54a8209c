import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support and its search. */
export function searchRoutes(_router: Router, _frame: Frame): void {}
