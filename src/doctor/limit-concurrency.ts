/** Runs at most `max` functions at a time. The others wait for their turn. */
export function limitConcurrency(
  max: number,
): <Value>(start: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (start) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await start();
    } finally {
      const next = waiting.shift(); // it takes this slot
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
