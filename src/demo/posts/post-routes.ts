import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { demoOf } from '../connect.ts';
import { type Failure, noSuchPage, unreadableForm } from '../failures.ts';
import type { OldApi } from '../old-api.ts';
import type { DemoSession, Profile } from '../session.ts';
import type { DemoPages } from '../show.ts';
import { createPostCalls, type PostCalls, loadQueue } from './post-calls.ts';

/** The page of the posts of one profile and its forms, which work without a script. */

const readForm = express.urlencoded({ extended: false, inflate: false, limit: '256kb', parameterLimit: 100 });

const UPDATE_ID = /^[0-9a-f]{24}$/i;

/** The values of one field. A browser sends a field once for each ticked box. */
function valuesOf(req: Request, field: string): string[] {
  const value: unknown = Object(req.body)[field];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string');
}

/** Browsers send line ends in a form as CR LF, but the person typed one line break. */
const textOf = (req: Request): string => (valuesOf(req, 'text')[0] ?? '').replaceAll('\r\n', '\n');

function chosenProfile({ profiles }: DemoSession, id: unknown): Profile | undefined {
  return profiles.find((profile) => profile.id === id) ?? profiles[0];
}

const isConnected = ({ token, deauthorized }: DemoSession) => token !== undefined && deauthorized !== true;

const onlyConnected: RequestHandler = (req, res, next) => {
  const demo = demoOf(req);
  if (isConnected(demo)) return next();
  res.redirect(303, demo.token === undefined ? '/' : '/flow');
};

type PostAction = (calls: PostCalls, req: Request) => Promise<Failure | undefined>;

/** An id becomes a part of an address below /1, so only an id is accepted in its place. */
const areIds = (ids: readonly string[]) => ids.every((id) => UPDATE_ID.test(id));

const reorder: PostAction = async (calls, req) => {
  const [profileId = ''] = valuesOf(req, 'profile');
  const ids = valuesOf(req, 'order');
  return areIds([profileId, ...ids]) ? calls.reorder(profileId, ids) : unreadableForm;
};

const ACTS: Record<string, PostAction> = {
  '/posts': (calls, req) => calls.create({ profileIds: valuesOf(req, 'profile_ids'), text: textOf(req) }),
  '/posts/:id/change': (calls, req) => calls.change(String(req.params['id']), textOf(req)),
  '/posts/:id/move-to-top': (calls, req) => calls.moveToTop(String(req.params['id'])),
  '/posts/order': reorder,
  '/posts/:id/delete': (calls, req) => calls.destroy(String(req.params['id'])),
};

/** The addresses below /posts. */
export function createPostRoutes(oldApi: OldApi, show: Pick<DemoPages, 'posts' | 'failure'>): Router {
  const routes = Router();
  routes.use('/posts', onlyConnected);
  routes.get('/posts', async (req, res) => {
    const demo = demoOf(req);
    const profile = chosenProfile(demo, req.query['profile']);
    if (!profile) return show.posts(res, demo, undefined);
    const queue = await loadQueue(demo, oldApi, profile.id);
    if ('failure' in queue) return show.failure(req, res, queue.failure);
    show.posts(res, demo, { profile, ...queue });
    demo.notice = undefined;
  });
  for (const [path, act] of Object.entries(ACTS))
    routes.post(path, readForm, async (req, res) => {
      const demo = demoOf(req);
      const { id } = req.params;
      if (id !== undefined && !UPDATE_ID.test(String(id))) return show.failure(req, res, noSuchPage);
      const failure = await act(createPostCalls(demo, oldApi), req);
      if (failure) return show.failure(req, res, failure);
      const profile = chosenProfile(demo, valuesOf(req, 'profile')[0]);
      res.redirect(303, profile ? `/posts?profile=${encodeURIComponent(profile.id)}` : '/posts');
    });
  routes.use(unreadable(show));
  return routes;
}

function unreadable(show: Pick<DemoPages, 'failure'>): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error, req, res, next) => {
    const { status } = Object(error) as { status?: unknown };
    if (typeof status === 'number' && status < 500) return show.failure(req, res, unreadableForm);
    next(error);
  };
}
