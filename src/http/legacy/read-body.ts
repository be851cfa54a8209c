import type { Request, RequestHandler, Response } from 'express';

/** Reads the body; what reads it later finds it there. */
export function untilRead(readBody: RequestHandler, req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    void readBody(req, req.res as Response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}
