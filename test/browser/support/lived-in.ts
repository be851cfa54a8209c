import type { Page } from 'playwright-core';
import { CAMPAIGN, DESK, NEWS } from '../../../src/demo-data/apps.ts';
import { DAY, MINUTE } from '../../../src/shared/lifetimes.ts';
import { SAM } from '../../owners/support/people.ts';
import { press } from '../steps.ts';
import { allow } from './arrive.ts';
import type { DemoWorld } from './demo-world.ts';

/** What no data of a demo can pretend: connections that really stand, one of them in doubt. */

async function connect(page: Page, world: DemoWorld, clientId: string): Promise<void> {
  await page.goto(`${world.bridgeUrl}/apps/${clientId}`);
  await press(page, 'Connect');
  await allow(page);
  await page.waitForURL(/\/apps/);
}

/** As after a refresh whose answer did not come; the job leaves it alone for the time of the tests. */
async function putInDoubt({ bridge }: DemoWorld, clientId: string): Promise<void> {
  const { store, clock } = bridge.context;
  const [now, since] = [clock.now(), clock.now() - MINUTE];
  await store.durable
    .updateTable('grants')
    .set({ state: 'in_doubt', doubt_since: since, presented_at: since, retry_at: now + DAY })
    .where('client_id', '=', clientId)
    .where('account_id', '=', SAM.accountId)
    .where('state', '=', 'ready')
    .execute();
}

/** Dana connects one app and Sam two, of which one is in doubt since. */
export async function liveIn(world: DemoWorld, { dana, sam }: { dana: Page; sam: Page }): Promise<void> {
  await connect(dana, world, CAMPAIGN.clientId);
  await connect(sam, world, NEWS.clientId);
  await connect(sam, world, DESK.clientId);
  await world.call(world.tokenOf('dana', CAMPAIGN.clientId).token);
  await world.bridge.context.usage.flush();
  await putInDoubt(world, DESK.clientId);
}
