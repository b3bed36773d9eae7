/** Quick work on many files is done in slices of this length, so that it does not hold up the loop. */
const SLICE_MS = 5;

let sliceEnd = 0;

/** To be called after each small piece of work: now and then it lets others have their turn. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() < sliceEnd) return;
  await new Promise<void>((resolve) => setImmediate(resolve));
  sliceEnd = performance.now() + SLICE_MS;
}
