/** The items of several streams as they come, until all have ended. Each waits until its item was taken. */
export async function* mergeStreams<Item>(
  streams: readonly AsyncIterable<Item>[],
): AsyncGenerator<Item, void> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  type Arrived = { readonly index: number; readonly result: IteratorResult<Item> };
  const next = async (index: number): Promise<Arrived> => ({
    index,
    result: (await iterators[index]?.next()) ?? { done: true, value: undefined },
  });
  const waiting = new Map<number, Promise<Arrived>>();
  const advance = (index: number): void => {
    const arrived = next(index);
    arrived.catch(() => undefined); // awaited below, possibly much later or never if the page is slow
    waiting.set(index, arrived);
  };
  for (const index of iterators.keys()) advance(index);
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      if (result.done === true) waiting.delete(index);
      else {
        advance(index);
        yield result.value;
      }
    }
  } finally {
    // They end when their signal aborts. Nothing waits for them here.
    for (const iterator of iterators) void iterator.return?.(undefined).catch(() => undefined);
  }
}
