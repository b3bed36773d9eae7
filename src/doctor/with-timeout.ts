/** Lets so many run at a time; the others wait for their turn. */
export function withTimeout(max: number): <Value>(start: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (start) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await start();
    } finally {
      const next = waiting.shift(); // it takes over our place
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
