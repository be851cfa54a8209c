import { KEY_ACTOR } from '../../store/history/imported-by-key.ts';

/** How the history names a key of the staff API. */
export const keyActor = (keyId: string): string => KEY_ACTOR + keyId;

/** Whether an actor of the history is a key. */
export const isKeyActor = (actor: string): boolean => actor.startsWith(KEY_ACTOR);

/** The id of a key, of the actor that it is. */
export const apiKeyIdOf = (actor: string): string => actor.slice(KEY_ACTOR.length);
