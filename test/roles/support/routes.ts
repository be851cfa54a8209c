import type { Express } from 'express';

/** The addresses that an express app serves, read from its routers, so that no route is forgotten. */

interface Layer {
  route?: { path: string | string[]; stack: Array<{ method?: string }> };
  handle?: { stack?: Layer[] };
}

function routesIn(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return routesIn(handle?.stack ?? []);
    const methods = new Set(route.stack.map(({ method }) => (method ?? 'all').toUpperCase()));
    return [...methods].flatMap((method) => [route.path].flat().map((path) => `${method} ${path}`));
  });
}

/** As `GET /apps/:clientId`, each once. */
export function routesOf(app: Express): string[] {
  const { stack } = app.router as unknown as { stack: Layer[] };
  return [...new Set(routesIn(stack))];
}
