import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support/numbers. */
export function numberRoutes(_router: Router, _frame: Frame): void {}
