import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/:clientId/tokens. */
export function tokensRoutes(_router: Router, _frame: Frame): void {}
