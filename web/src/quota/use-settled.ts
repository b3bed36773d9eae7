/** A number that changes often, given on at most once in a while: figures of weeks need no update for every fact. */
import { useEffect, useRef, useState } from 'react';

const WAIT_MS = 3000;

export function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (settled === value) return;
    // Nothing has been shown yet, so there is nothing to wait for.
    const timer = setTimeout(() => setSettled(latest.current), settled === 0 ? 0 : WAIT_MS);
    return () => clearTimeout(timer);
  }, [settled, value === settled]);
  return settled;
}
