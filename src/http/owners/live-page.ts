import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/:clientId/live. */
export function liveRoutes(_router: Router, _frame: Frame): void {}
