/** A run that waits for its children has no model calls of its own: it shows the one that holds up a child. */
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

/** More levels than a feature has with its workflows and their steps. */
const LEVELS_MAX = 8;

/** The views, each with the call that the gateway keeps back in a run below it. `active` are all open runs. */
export function withHeldCalls(
  views: readonly RunView[],
  active: readonly RunView[],
  now: number,
): readonly RunView[] {
  const parents = new Map(active.map(({ id, parent }) => [id, parent]));
  const below = new Map<string, RunView['heldCall']>();
  for (const { parent, heldCall, program } of active) {
    if (heldCall === null || heldCall.until <= now || program === AGENT_PROGRAM) continue;
    let above = parent;
    for (let level = 0; above !== null && level < LEVELS_MAX; level += 1) {
      below.set(above, heldCall);
      above = parents.get(above) ?? null;
    }
  }
  return views.map((view) => {
    const heldCall = view.outcome === null ? below.get(view.id) : undefined;
    return heldCall === undefined || view.heldCall !== null ? view : { ...view, heldCall };
  });
}
