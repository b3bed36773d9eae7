/**
 * Makes room on the disk: the workspaces, homes and outputs of runs that ended long ago, and the briefs that
 * no other run names. What lies on
 * the disk is the list, and the journal says which of it is over. Each step can be done twice, so one
 * that was cut off is completed by the next.
 */
import { join } from 'node:path';
import { Refusal, describeError, isRefusal } from '../base/errors.ts';
import { parseRunId } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import { diskUse } from '../host/disk-use.ts';
import { listFolder } from '../host/tree-read.ts';
import { removeTree } from '../host/tree-write.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { Leftover, PrunePlan, Pruned } from '../protocol/prune.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { RunsKnown } from './idle-briefs.ts';
import { briefsDir, idleBriefs } from './idle-briefs.ts';
import { discardWorkspace, findStale } from '../workspace/keep.ts';
import type { Place, WorkspacePorts } from '../workspace/workspace.ts';
import { pathsOf } from '../workspace/workspace.ts';

export type PrunePorts = {
  /** Where our own state lies. */
  readonly home: string;
  readonly git: WorkspacePorts;
  readonly journal: () => RunsKnown;
  readonly say: (event: NewEvent) => Promise<void>;
  /** Aborts when there is no more time for counting and removing. */
  readonly signal: AbortSignal;
};

/** Folders of our state with one folder a run. */
const PER_RUN = [
  ['home', 'homes'],
  ['output', 'outputs'],
] as const;

/** A workspace comes first: it goes only if its work is kept, and the rest of its run is less dear. */
type Found = Leftover & { readonly run: RunId; readonly place: Place | null };

export class Prune {
  readonly #ports: PrunePorts;
  /** One after the other: two would only stumble over each other's half-removed trees. */
  #pruning: Promise<unknown> = Promise.resolve();

  constructor(ports: PrunePorts) {
    this.#ports = ports;
  }

  /** What there is to remove of runs that ended before then, oldest first. Changes nothing. */
  async plan(before: number): Promise<PrunePlan> {
    const over = await this.#over(before);
    const runs = [...over].map(([run, { view, found }]) => ({
      run,
      task: view.task,
      endedAt: view.endedAt ?? 0,
      leftovers: found.map(({ kind, path, bytes }) => ({ kind, path, bytes })),
    }));
    const briefs = [...(await this.#briefs(before))];
    return {
      before,
      bytes: total([...runs.flatMap(({ leftovers }) => leftovers), ...briefs]),
      runs: runs.toSorted((a, b) => a.endedAt - b.endedAt),
      briefs,
    };
  }

  /** Removes it. What can't be kept on a ref, or can't be removed, stays and is named. */
  prune(before: number): Promise<Pruned> {
    const pruned = this.#pruning.then(() => this.#prune(before));
    this.#pruning = pruned.catch(() => undefined); // told to whoever asked
    return pruned;
  }

  async #prune(before: number): Promise<Pruned> {
    const { say, signal } = this.#ports;
    const over = await this.#over(before);
    const briefs = await this.#briefs(before);
    if (over.size + briefs.length === 0) return { runs: 0, briefs: 0, bytes: 0, stays: [] };
    await say({ type: 'prune.begun', payload: { before, runs: over.size } });
    const stays: { path: string; why: string }[] = [];
    let bytes = 0;
    const found = [...over.values()].flatMap((one) => one.found);
    for (const one of [...found, ...briefs.map((brief) => ({ ...brief, place: null }))]) {
      if (signal.aborted) throw closing();
      const why = await this.#remove(one);
      if (why === null) bytes += one.bytes;
      else stays.push({ path: one.path, why });
    }
    const runs = over.size;
    await say({ type: 'prune.ended', payload: { runs, bytes, stays: stays.length } });
    return { runs, briefs: briefs.length, bytes, stays };
  }

  /** Null when it is gone; otherwise why it is not. */
  async #remove({ place, path }: Pick<Found, 'place' | 'path'>): Promise<string | null> {
    const { git } = this.#ports;
    try {
      if (place === null) await removeTree(path);
      else if ((await discardWorkspace(place, git)).kind === 'stays')
        return 'some of its files can be kept on no ref';
      return null;
    } catch (error) {
      if (isRefusal(error)) return error.message;
      if (error instanceof Error && 'code' in error) return describeError(error); // the file system's word
      throw error; // anything else is a defect
    }
  }

  async #over(before: number): Promise<ReadonlyMap<RunId, Over>> {
    const over = new Map<RunId, Over>();
    for (const one of await this.#leftovers()) {
      const known = over.get(one.run);
      // A run that the journal does not know is one of which nobody can say that it is over.
      const view = known?.view ?? (await this.#ports.journal().run(one.run));
      if (view?.endedAt == null || view.endedAt >= before) continue;
      over.set(one.run, { view, found: [...(known?.found ?? []), one] });
    }
    return over;
  }

  async #leftovers(): Promise<readonly Found[]> {
    const { home, git } = this.#ports;
    const found: Found[] = [];
    for (const { place } of await findStale(home, git, 0)) {
      const path = pathsOf(place).work;
      found.push({ kind: 'workspace', run: place.run, path, place, bytes: await this.#size(path) });
    }
    for (const [kind, folder] of PER_RUN)
      for (const { name } of (await listFolder(home, folder)) ?? []) {
        const run = parseRunId(name);
        if (run === undefined) continue;
        const path = join(home, folder, name);
        const bytes = await this.#size(path);
        if (bytes > 0) found.push({ kind, run, path, place: null, bytes });
      }
    return found;
  }

  #briefs(before: number): Promise<readonly Leftover[]> {
    const { home, git, journal } = this.#ports;
    return idleBriefs(briefsDir(home), journal(), before, git.clock.now());
  }

  async #size(path: string): Promise<number> {
    return (await diskUse([path], Number.POSITIVE_INFINITY, this.#ports.signal)).bytes;
  }
}

type Over = { readonly view: RunView; readonly found: readonly Found[] };

function total(leftovers: readonly Leftover[]): number {
  return leftovers.reduce((sum, { bytes }) => sum + bytes, 0);
}

function closing(): Refusal {
  return new Refusal({
    code: 'owner.closing',
    message: 'The owner was stopped before everything was removed.',
    hint: 'Complete it with: supervisor runs prune',
  });
}
