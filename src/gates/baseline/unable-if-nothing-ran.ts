/** Turns a red gate on the base into one that can't run, if it only failed to find what it should run. */
import { nothingRan, unableOutcome } from '../../attempts/gates/cannot-run.ts';
import { readListing } from '../../detection/read-listing.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';

/** Reads the names of the project's scripts, targets and files only if one of them is missing. */
export async function unableIfNothingRan(
  gate: Pick<PinnedGate, 'name' | 'command'>,
  outcome: GateOutcome,
  project: string,
): Promise<GateOutcome> {
  const found = nothingRan(gate, outcome);
  return found === undefined ? outcome : unableOutcome(gate, found, await readListing(project));
}
