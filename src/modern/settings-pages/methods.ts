import type { Request, RequestHandler, Response, Router } from 'express';

/** Our own address, and therefore no place elsewhere: what stands before the path is where the pages are mounted. */
const withoutSlash = (req: Request, res: Response) => res.redirect(303, req.baseUrl + req.path.slice(0, -1));

/** Which methods each path of the settings has, as it was registered. */
export function createMethods() {
  const known = new Map<string, string[]>();
  return {
    /** Returns the path. */
    add(method: 'GET' | 'POST', path: string): string {
      known.set(path, [...(known.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
      return path;
    },
    hasPage: (path: string): boolean => known.get(path)?.includes('GET') === true,
    /** 405 with `Allow` (RFC 9110 §15.5.6), and the way to a page from its address with a slash behind it. */
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
