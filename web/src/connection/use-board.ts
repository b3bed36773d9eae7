import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import type { TreeView } from '../../../src/protocol/views/tree-view.ts';
import type { Board, Snapshot } from './board.ts';
import type { BoardRun } from '../../../src/protocol/views/board-state.ts';

export const BoardContext = createContext<Board | null>(null);

function useOwnBoard(): Board {
  const board = use(BoardContext);
  if (board === null) throw new Error('The board is missing above this part of the page.');
  return board;
}

export function useBoard(): Snapshot {
  const board = useOwnBoard();
  return useSyncExternalStore(board.subscribe, board.read);
}

/** Follows the tree while this part of the page is shown. */
export function useTree(): TreeView | null {
  const board = useOwnBoard();
  const { tree } = useBoard();
  useEffect(() => board.openTree(), [board]);
  return tree;
}

/** Follows a run while this part of the page is shown. */
export function useOpenRun(id: string): BoardRun | null {
  const board = useOwnBoard();
  const { open } = useBoard();
  useEffect(() => {
    board.openRun(id);
    return () => board.openRun(null);
  }, [board, id]);
  return open?.id === id ? open : null;
}
