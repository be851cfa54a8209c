import type { MetricsDeps as MetricsRoomDeps } from '../../domain/metrics/deps.ts';
import type { Logger } from '../../shared/log/logger.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface MetricsPageDeps extends MetricsRoomDeps {
  logger: Logger;
}
