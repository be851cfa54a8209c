import type { Router } from 'express';
import type { Frame } from '../people/frame.ts';

/** Adds /apps/:clientId/contacts. */
export function contactsRoutes(_router: Router, _frame: Frame): void {}
