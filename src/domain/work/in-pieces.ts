import { FIRST_PIECE, type Piece, type PieceResult } from '../../store/driver/pieces.ts';
import { restForCalls } from './yield-to-event-loop.ts';

interface PieceOptions {
  /** Aborts when the process stops. The rest is removed after the next start. */
  stopping: AbortSignal;
  first?: Piece;
}

/**
 * Removes piece after piece until a piece is not full. Other work goes on in between.
 * @throws {Error} named AbortError, when the process stops
 */
export async function inPieces(
  { stopping, first = FIRST_PIECE }: PieceOptions,
  remove: (piece: Piece) => Promise<PieceResult>,
): Promise<void> {
  let piece = first;
  for (;;) {
    const { count, after } = await remove(piece);
    if (count < piece.limit) return;
    piece = { ...piece, after };
    await restForCalls(stopping);
  }
}
