/** The page of the dashboard. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepPageKey } from './connection/page-key.ts';
import { Board } from './connection/board.ts';
import { BoardContext } from './connection/use-board.ts';
import './styles/base.css';
import './styles/parts.css';

await keepPageKey();
const board = new Board();
board.start();

// Nothing polls: what a query shows is asked for again when the stream says that its run has changed.
const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: Number.POSITIVE_INFINITY },
  },
});

const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <BoardContext value={board}>
          <App />
        </BoardContext>
      </QueryClientProvider>
    </StrictMode>,
  );
