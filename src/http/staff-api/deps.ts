import type { ChecksDeps } from '../../domain/checks/deps.ts';
import type { HistoryDeps } from '../../domain/history/deps.ts';
import type { ImportDeps } from '../../domain/import/deps.ts';
import type { HttpSupportDeps } from '../support/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type HttpStaffApiDeps = HttpSupportDeps & ChecksDeps & HistoryDeps & ImportDeps;
