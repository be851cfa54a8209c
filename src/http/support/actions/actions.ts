import type { Router } from 'express';
import type { PageShell } from '../../site/page-shell.ts';
import { assignAction } from './act-assign.ts';
import { extendAction, unextendAction } from './act-extend.ts';
import { giveAction } from './act-give.ts';
import { linkAction } from './act-link.ts';
import { pinAction } from './act-pin.ts';
import { probeAction } from './act-probe.ts';
import { remindAction } from './act-remind.ts';
import { revokeAction } from './act-revoke.ts';
import { endKeyAction } from './act-end-key.ts';
import { settleAction } from './act-settle.ts';
import { takeBackAction } from './act-take-back.ts';
import { addAction } from './action-form.ts';

/** Adds the staff actions. */
export function actionRoutes(router: Router, frame: PageShell): void {
  addAction(router, frame, revokeAction(frame));
  addAction(router, frame, remindAction(frame));
  addAction(router, frame, linkAction(frame));
  addAction(router, frame, probeAction(frame));
  addAction(router, frame, assignAction(frame));
  addAction(router, frame, pinAction(frame));
  addAction(router, frame, extendAction(frame));
  addAction(router, frame, unextendAction(frame));
  addAction(router, frame, giveAction(frame));
  addAction(router, frame, settleAction(frame));
  addAction(router, frame, endKeyAction(frame));
  addAction(router, frame, takeBackAction(frame));
}
