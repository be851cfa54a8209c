import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /support/desks. */
export function deskRoutes(_router: Router, _frame: Frame): void {}
