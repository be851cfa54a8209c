import type { Request, RequestHandler, Response, Router } from 'express';

/** The redirect stays on this server: the address begins with the path at which the pages are mounted. */
const withoutSlash = (req: Request, res: Response) => res.redirect(303, req.baseUrl + req.path.slice(0, -1));

/** Records which methods each path of the settings has. */
export function createMethods() {
  const known = new Map<string, string[]>();
  return {
    /** Returns the path. */
    add(method: 'GET' | 'POST', path: string): string {
      known.set(path, [...(known.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
      return path;
    },
    hasPage: (path: string): boolean => known.get(path)?.includes('GET') === true,
    /**
     * Answers other methods with 405 and `Allow` (RFC 9110 §15.5.6). Redirects the address of a page with a slash at
     * its end to the page.
     */
    refuseOthers(router: Router, refuse: RequestHandler): void {
      for (const [path, methods] of known) {
        router.all(path, (_req, res, next) => {
          res.set('Allow', methods.join(', '));
          next();
        });
        router.all(path, refuse);
        if (path !== '/' && methods.includes('GET')) router.get(`${path}/`, withoutSlash);
      }
    },
  };
}
