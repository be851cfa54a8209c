import type { ErrorRequestHandler, Response } from 'express';

/** An Express error handler. `answer` returns false for an error that belongs to another handler. */
export function errorHandler(
  answer: (error: unknown, res: Response) => boolean | Promise<boolean>,
): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return async (error: unknown, _req, res, next) => {
    // Express passes a rejection of this promise to the next handler.
    if (res.headersSent || !(await answer(error, res))) next(error);
  };
}

/**
 * The status of an error that Express or a body parser throws for an unreadable request (too large, too many fields, an
 * unknown encoding, a broken escape in the address). Undefined for an error of our own code.
 */
export function unreadableStatus(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
