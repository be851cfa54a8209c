import type { ErrorRequestHandler, Response } from 'express';

/** An Express error handler; `answer` gives false for an error that is not its business. */
export function errorHandler(
  answer: (error: unknown, res: Response) => boolean | Promise<boolean>,
): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return async (error: unknown, _req, res, next) => {
    // What fails in here goes on to the next handler: Express takes it from the promise.
    if (res.headersSent || !(await answer(error, res))) next(error);
  };
}

/**
 * The status of what Express and its body parsers throw at a request that cannot be read (too large, too many fields, an
 * unknown encoding, a broken escape in the address); undefined for an error of ours.
 */
export function unreadableStatus(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
