import type { ErrorRequestHandler, Response } from 'express';

/** An Express error handler; `answer` returns false for an error that is not its business. */
export function errorHandler(answer: (error: unknown, res: Response) => boolean): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (error: unknown, _req, res, next) => {
    if (res.headersSent || !answer(error, res)) next(error);
  };
}
