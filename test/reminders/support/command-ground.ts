import type { Context } from '../../../src/domain/context.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import {
  addHolder,
  addOwnedApp,
  type DeliveryGround,
  openDeliveryGround,
  setRetirement,
  yesterdayNoon,
} from './delivery-ground.ts';

/** What the operator's commands about reminders find: a holder and an owner who are due, and a mail server. */
export interface CommandGround {
  door: SmtpDoor;
  ground: DeliveryGround;
  context: Context;
  close: () => Promise<void>;
}

export async function openCommandGround(): Promise<CommandGround> {
  const door = await startSmtpServer();
  const ground = await openDeliveryGround({ kind: 'sqlite', smtpPort: door.port });
  const context = await ground.open(new SettableClock(yesterdayNoon()));
  await setRetirement(context);
  await addHolder(context, 'holder@box.example');
  await addOwnedApp(context, { owner: 'owner@box.example' });
  return {
    door,
    ground,
    context,
    close: async () => {
      await ground.close();
      await door.close();
    },
  };
}

/** Today in UTC, as `--on` takes it. */
export const today = (): string => new Date().toISOString().slice(0, 10);
