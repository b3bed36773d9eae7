/** Work on many files is done in slices of this length, so that it does not block the event loop. */
const SLICE_MS = 5;

let sliceEnd = 0;

/** Call it after each small piece of work. It yields to the event loop once per slice. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() < sliceEnd) return;
  await new Promise<void>((resolve) => setImmediate(resolve));
  sliceEnd = performance.now() + SLICE_MS;
}
