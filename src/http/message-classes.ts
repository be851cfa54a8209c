import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** What a server makes its requests and answers of. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Classes whose objects have the methods of `app` from their beginning. Express gives each request and each answer another
 * prototype, which is nothing new for these. In the V8 of Node 20 and 22 every object whose prototype was changed has a shape of its
 * own, so nothing that was learnt of the fields of one request holds for the next. That was a fifth of the cost of a call that asks the new API.
 */
export function messageClassesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as Request;
  app.response = AppResponse.prototype as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}
