import type { Config } from '../config/config.ts';
import { createTroubleLog } from '../domain/work/trouble-log.ts';
import type { Logger } from '../shared/log/logger.ts';
import { createDraw } from '../shared/trace/draw-requests.ts';
import type { TraceRecorder } from '../shared/trace/tracing.ts';

const WORK = 'traces';

const elapsed = () => performance.now();

/** Begins to record traces where the settings name a collector. Else nothing of it is loaded. */
export async function openTracing({ tracing }: Config, logger: Logger): Promise<TraceRecorder | undefined> {
  if (!tracing) return undefined;
  const [message, again] = ['traces could not be sent', 'traces are sent again'];
  const log = createTroubleLog({ logger, level: 'warn', message, again });
  const otlp = await import('../shared/trace/otlp-tracing.ts');
  return otlp.openOtlpRecorder({
    ...tracing,
    isDrawn: createDraw({ ratio: tracing.ratio, chance: Math.random, elapsed }),
    hear: (error) => (error ? log.note(WORK, error) : log.done(WORK)),
  });
}
