/** The time of the owner, once a second while the tab is visible. */
import { useEffect, useState } from 'react';
import { useBoard } from '../connection/use-board.ts';

export function useNow(): number {
  const { aheadMs } = useBoard();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return now + aheadMs;
}
