/**
 * What is still to be done when a run has come to its end, however it did: artifacts are taken over, and
 * work that an owner's death left unkept is kept. All of it can be done again without harm, since an
 * owner may die here as well.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, Refusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Errand, Order, Performer } from '../engine/performer.ts';
import { errnoOf } from '../host/errno.ts';
import { lookAtProject } from '../workspace/project.ts';
import { keepWorkspace } from '../workspace/keep.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';
import { readRecord } from '../workspace/workspace.ts';
import { collectArtifacts, COLLECT_MS_MAX } from './artifacts.ts';
import { keptNote } from './kept-note.ts';
import { FIRST_TREE } from './run-workspace.ts';
import type { KeptOfAttempt } from './gate-place.ts';

export type FinalizeInput = {
  readonly project: string;
  /** The number of the last attempt, 0 if none was begun. */
  readonly attempt: number;
  /** The one that it worked in; the first, if nothing is said. */
  readonly tree?: number;
};

export type FinalizeOutcome =
  | {
      readonly kind: 'finalized';
      readonly artifacts: number;
      readonly bytes: number;
      readonly refused: number;
    }
  /** What was to be done lies where it was, and can be looked at there. */
  | { readonly kind: 'unfinished'; readonly message: string };

export type FinalizePorts = {
  readonly clock: Clock;
  /** Where our own state lies. */
  readonly stateDir: string;
  /** The user's own folder. */
  readonly userDir: string;
  readonly git: string;
  readonly tagOf: (run: string, key: string) => string;
  readonly keptOf: (run: Order['run'], attempt: number) => Promise<KeptOfAttempt>;
};

export function finalizePerformer(ports: FinalizePorts): Performer {
  return {
    command: 'finalize',
    perform: async (order, errand): Promise<Record<string, Json>> => ({
      ...(await performFinalize(order, errand, ports)),
    }),
  };
}

async function performFinalize(
  order: Order,
  errand: Errand,
  ports: FinalizePorts,
): Promise<FinalizeOutcome> {
  const input = order.input as unknown as FinalizeInput;
  try {
    const over = new AbortController();
    const done = new AbortController();
    void ports.clock.sleep(COLLECT_MS_MAX, done.signal).then((slept) => slept && over.abort());
    const kept = await collectArtifacts(ports.stateDir, order.run, over.signal).finally(() =>
      done.abort(),
    );
    await keepWhatWasLost(order, input, errand, ports);
    const files = kept.flatMap((one) => one.files);
    return {
      kind: 'finalized',
      artifacts: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      refused: kept.reduce((sum, { refused }) => sum + refused.length, 0),
    };
  } catch (error) {
    // A tree that can't be kept or a full disk must not take the run's outcome with it.
    if (error instanceof Refusal || errnoOf(error) === 'ENOSPC' || errnoOf(error) === 'EDQUOT')
      return { kind: 'unfinished', message: describeError(error) };
    throw error; // anything else is a defect
  }
}

/** An attempt that was lost with its owner has written no word of its tree. */
async function keepWhatWasLost(
  { run, key }: Order,
  { project, attempt, tree = FIRST_TREE }: FinalizeInput,
  errand: Errand,
  { clock, git, tagOf, stateDir, userDir, keptOf }: FinalizePorts,
): Promise<void> {
  if (attempt === 0 || (await keptOf(run, attempt)).kind !== 'in-project') return;
  const ports: WorkspacePorts = { git, clock, tag: tagOf(run, key), userHome: userDir };
  const root = await rootOf(project, stateDir, ports);
  if (root === undefined) return;
  const place = { home: stateDir, root, run, attempt: tree };
  if ((await readRecord(place)) === undefined) return; // it worked in the project itself
  await errand.note(keptNote(place, await keepWorkspace(place, ports)).note);
}

/** A folder that is refused as a project never had a tree of ours. */
async function rootOf(
  path: string,
  home: string,
  ports: WorkspacePorts,
): Promise<string | undefined> {
  try {
    return (await lookAtProject(ports, { path, home })).root;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
