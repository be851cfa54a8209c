import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/:clientId/move. */
export function moveRoutes(_router: Router, _frame: Frame): void {}
