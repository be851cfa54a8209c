#!/usr/bin/env node
import { CommanderError } from 'commander';
import { WrongUsage } from './cli/commands/wrong-usage.ts';
import { endBySignals } from './cli/end-by-signal.ts';
import { createProgram } from './cli/program.ts';
import { paintFor } from './cli/terminal/paint.ts';
import { surviveFailures } from './shared/log/log-sink.ts';
import { reduceError } from './shared/log/redaction.ts';

/** Entry of the operator's command. Exit codes: 0 done, 1 failed or nothing found, 2 wrong usage. */

process.setSourceMapsEnabled(true);
endBySignals();

// Long work goes on when nobody reads its messages any more. When the result cannot be written, the exit code tells.
for (const stream of [process.stdout, process.stderr]) surviveFailures(stream);
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.exitCode = 1;
});

createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const paint = paintFor(process.stderr, !process.argv.includes('--no-color'));
    process.stderr.write(`${paint('red', reduceError(error).message)}\n`);
    process.exitCode = error instanceof WrongUsage ? 2 : 1;
  });
