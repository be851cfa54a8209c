import { listApps } from '../../store/apps/apps.ts';
import type { InstanceDeps } from './deps.ts';

/**
 * Every start prints the demo's client secret and owner token, and the source contains both values: they are public.
 */
async function findDemo({ store }: Pick<InstanceDeps, 'store'>): Promise<string | undefined> {
  const demo = (await listApps(store.durable)).find(({ source }) => source === 'demo');
  return (
    demo &&
    `DATABASE_URL: the database holds the demo app ${demo.client_id}, whose secret and token are public. Production needs a database in which no demo was started`
  );
}

/**
 * Why a database may not serve in production. Ask at a start in production, before anything is served. Problems that
 * the settings alone show are refused earlier. Left are a database that could lose commits (docs/decisions/0009) and a
 * database on which a demo was started.
 * @returns a line in plain words; undefined when the database may serve
 */
export async function findProductionProblem(
  context: Pick<InstanceDeps, 'store'>,
): Promise<string | undefined> {
  const finding = await context.store.findCommitProblem();
  return finding === undefined ? findDemo(context) : `DATABASE_URL: ${finding}`;
}
