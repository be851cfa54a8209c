import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support/apps/:clientId. */
export function appRoutes(_router: Router, _frame: Frame): void {}
