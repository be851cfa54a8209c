import { readConfig } from './config.ts';
import { installLastResort } from './shared/last-resort.ts';
import { createLogger } from './shared/logger.ts';
import { startSystem } from './system.ts';
import { welcomeText } from './welcome.ts';

/** Runs the system until SIGTERM or SIGINT; a part that ends by itself ends the whole, for a supervisor to see. */
export async function serve(): Promise<void> {
  const config = readConfig();
  installLastResort(createLogger({ level: config.logLevel, name: 'bridge' }));
  const system = await startSystem(config);
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => {
    stopping ??= system.close().then(() => process.exit(exitCode));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  system.onUnexpectedEnd((part) => {
    process.stderr.write(`${part} ended unexpectedly, stopping.\n`);
    stop(1);
  });
  process.stdout.write(welcomeText(config, system));
}
