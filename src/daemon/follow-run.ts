import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import type { StoredEvent } from '../protocol/event.ts';

/** The engine's own, except that it ends at once when the run has ended and nothing can come after `after`. */
export async function* followRun(
  engine: Engine,
  run: RunId,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  const view = await engine.get(run);
  if (view !== undefined && view.outcome !== null && after >= view.seq) return;
  yield* engine.follow(run, after, signal);
}
