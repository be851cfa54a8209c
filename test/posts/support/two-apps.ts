import { type Door, type DoorOptions, openDoor } from '../../endpoints/support/door.ts';
import { connectReader, type Reader } from './reader.ts';

/** Two apps that share the budget of the bridge's own client: one floods, and the other must get its share. */
export interface TwoApps {
  door: Door;
  flooding: Reader;
  other: Reader;
}

/** Their access tokens live for a day at least, so that no refresh comes between. */
export async function openTwoApps(options: DoorOptions): Promise<TwoApps> {
  const door = await openDoor({ accessTokenSeconds: 86_400, ...options });
  return { door, flooding: await connectReader(door), other: await connectReader(door) };
}
