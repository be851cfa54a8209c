/** Which app a token belongs to, as far as this process has answered its calls. No right follows from this memory. */
export interface TokenApps {
  learn(token: string, clientId: string): void;
  /** Undefined for a token that this process does not know. */
  appOf(token: string): string | undefined;
}

/** A power of two. Each token has one slot, and the newest token keeps it: cheaper for a call than to know the oldest. */
const SLOTS = 2 ** 18;

/**
 * A number for a token (FNV-1a, 32 bits), so that no token is kept. Two tokens with one number cost no more than that the
 * calls of one count as calls of the other's app.
 */
function numberOf(token: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < token.length; at += 1) number = Math.imul(number ^ token.charCodeAt(at), 0x01000193);
  return number;
}

/** An empty memory. */
export function createTokenApps(): TokenApps {
  const numbers = new Int32Array(SLOTS);
  /** For each slot the place of its app in `apps`. Nothing of either is in memory before a token is learnt there. */
  const places = new Uint32Array(SLOTS);
  // Nobody's app has the first place: that of a slot that was never used.
  const apps: Array<string | undefined> = [undefined];
  const placeOfApp = new Map<string, number>();

  function placeOf(clientId: string): number {
    const known = placeOfApp.get(clientId);
    if (known !== undefined) return known;
    placeOfApp.set(clientId, apps.length);
    return apps.push(clientId) - 1;
  }

  return {
    learn(token, clientId) {
      const number = numberOf(token);
      const slot = number & (SLOTS - 1);
      numbers[slot] = number;
      places[slot] = placeOf(clientId);
    },
    appOf(token) {
      const number = numberOf(token);
      const slot = number & (SLOTS - 1);
      return numbers[slot] === number ? apps[places[slot] ?? 0] : undefined;
    },
  };
}
