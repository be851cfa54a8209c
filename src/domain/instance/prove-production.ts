import { listApps } from '../../store/apps/apps.ts';
import type { Context } from '../context.ts';

/** The demo's client secret and owner token are printed by every start and stand in the source: anybody has them. */
async function findDemo({ store }: Pick<Context, 'store'>): Promise<string | undefined> {
  const demo = (await listApps(store.durable)).find(({ source }) => source === 'demo');
  return (
    demo &&
    `DATABASE_URL: the demo app ${demo.client_id} is registered there, and its secret and token are public; production needs a database in which no demo was started`
  );
}

/**
 * Why a database may not serve in production; to be asked at a start in production before anything is served. What the
 * settings alone show is refused before, with them; what is left is a database that could lose commits
 * (docs/decisions/0009) and one that a demo was started on.
 * @returns a line in plain words; undefined when it may
 */
export async function findProductionProblem(context: Pick<Context, 'store'>): Promise<string | undefined> {
  const finding = await context.store.findCommitProblem();
  return finding === undefined ? findDemo(context) : `DATABASE_URL: ${finding}`;
}
