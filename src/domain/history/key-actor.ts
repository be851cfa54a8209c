const ACTOR = 'key:';

/** How the history names a key of the staff API. */
export const keyActor = (keyId: string): string => ACTOR + keyId;

/** Whether an actor of the history is a key. */
export const isKeyActor = (actor: string): boolean => actor.startsWith(ACTOR);

/** The id of a key, of the actor that it is. */
export const apiKeyIdOf = (actor: string): string => actor.slice(ACTOR.length);
