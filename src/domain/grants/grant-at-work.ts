import type { Grant } from '../../store/tables/tables.ts';
import type { GrantClient } from './grant-client.ts';

/** A grant on which a step is taken, and the request that needs the step. */
export type GrantAtWork = Grant & Pick<GrantClient, 'calling'>;
