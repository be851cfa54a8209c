import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/:clientId/calls. */
export function callsRoutes(_router: Router, _frame: Frame): void {}
