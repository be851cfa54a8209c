// A token's digest in the peers' table: keyed, as the bridge's is.
import { createHmac } from 'node:crypto';

const KEY = Buffer.alloc(32, 7);

export const digestOf = (token) => createHmac('sha256', KEY).update(token).digest('base64url');
