import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/account and the sign-out everywhere. */
export function accountRoutes(_router: Router, _frame: Frame): void {}
