import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support/accounts/:accountId. */
export function accountRoutes(_router: Router, _frame: Frame): void {}
