import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds the actions of staff. */
export function actionRoutes(_router: Router, _frame: Frame): void {}
