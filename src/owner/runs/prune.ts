/**
 * Makes room on the disk: the workspaces, homes and outputs of runs that ended long ago, the workspaces and outputs of
 * earlier lives of agents that go on, and the briefs that no other run names. What lies on the disk is the list, and
 * the journal says which of it is over. Each step can be done twice, so one
 * that was cut off is completed by the next.
 */
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Serial } from '../../base/serial.ts';
import type { NewOwnerEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { Leftover, PrunePlan, Pruned } from '../../protocol/views/prune-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { LivesFold, stemOfFile } from './earlier-lives.ts';
import { readStream } from '../run-reader.ts';
import type { KnownRuns } from './unused-briefs.ts';
import type { FoundLeftover, Leftovers } from './prune-leftovers.ts';

export type PrunePorts = {
  readonly leftovers: Leftovers;
  readonly journal: () => Pick<KnownRuns, 'run' | 'readStream'>;
  readonly say: (event: NewOwnerEvent) => Promise<void>;
  /** Aborts when there is no more time for removing. */
  readonly signal: AbortSignal;
};

export class Prune {
  readonly #ports: PrunePorts;
  /** One prune at a time: a second one would meet trees that the first has half removed. */
  readonly #pruning = new Serial();

  constructor(ports: PrunePorts) {
    this.#ports = ports;
  }

  /** What there is to remove of runs that ended before then, oldest first. Changes nothing. */
  async plan(before: number): Promise<PrunePlan> {
    const { over, living } = await this.#leftBefore(before);
    const runs = [...over.values()].map((one) => ({
      ...rowOf(one),
      endedAt: one.view.endedAt ?? 0,
    }));
    const agents = living.map((one) => ({ ...rowOf(one), lives: one.lives }));
    const briefs = [...(await this.#ports.leftovers.briefs(before))];
    return {
      before,
      bytes: total([...[...runs, ...agents].flatMap(({ leftovers }) => leftovers), ...briefs]),
      runs: runs.toSorted((a, b) => a.endedAt - b.endedAt),
      agents,
      briefs,
    };
  }

  /** Removes it. What can't be kept on a ref, or can't be removed, stays and is named. */
  prune(before: number): Promise<Pruned> {
    return this.#pruning.run(() => this.#prune(before));
  }

  async #prune(before: number): Promise<Pruned> {
    const { say, signal } = this.#ports;
    const { over, living } = await this.#leftBefore(before);
    const briefs = await this.#ports.leftovers.briefs(before);
    const [runs, agents] = [over.size, living.length];
    if (runs + agents + briefs.length === 0)
      return { runs: 0, agents: 0, briefs: 0, bytes: 0, stays: [] };
    await say({ type: 'prune.begun', payload: { before, runs, agents } });
    const stays: { path: string; why: string }[] = [];
    let bytes = 0;
    const found = [...over.values(), ...living].flatMap((one) => one.found);
    for (const one of [...found, ...briefs.map((brief) => ({ ...brief, place: null }))]) {
      if (signal.aborted) throw closing();
      const why = await this.#remove(one);
      if (why === null) bytes += one.bytes;
      else stays.push({ path: one.path, why });
    }
    await say({ type: 'prune.ended', payload: { runs, agents, bytes, stays: stays.length } });
    return { runs, agents, briefs: briefs.length, bytes, stays };
  }

  /** Null when it is gone; otherwise why it is not. */
  async #remove({
    place,
    path,
    files,
  }: Pick<FoundLeftover, 'place' | 'path' | 'files'>): Promise<string | null> {
    const { leftovers } = this.#ports;
    try {
      if (files !== undefined) await leftovers.removeFiles(path, files);
      else if (place === null) await leftovers.remove(path);
      else if ((await leftovers.discard(place)).kind === 'stays')
        return 'some of its files can be kept on no ref';
      return null;
    } catch (error) {
      if (isRefusal(error)) return error.message;
      if (error instanceof Error && 'code' in error) return describeError(error); // the file system's word
      throw error; // anything else is a defect
    }
  }

  async #leftBefore(before: number): Promise<{
    readonly over: ReadonlyMap<RunId, Over>;
    readonly living: readonly (Over & { readonly lives: number })[];
  }> {
    const over = new Map<RunId, Over>();
    const goingOn = new Map<RunId, Over>();
    for (const one of await this.#ports.leftovers.ofRuns()) {
      const known = over.get(one.run) ?? goingOn.get(one.run);
      // A run that the journal does not know is one of which nobody can say that it is over.
      const view = known?.view ?? (await this.#ports.journal().run(one.run));
      if (view === undefined) continue;
      const found = [...(known?.found ?? []), one];
      if (view.endedAt !== null && view.endedAt < before) over.set(one.run, { view, found });
      if (view.endedAt === null && view.program === AGENT_PROGRAM)
        goingOn.set(one.run, { view, found });
    }
    const living: (Over & { readonly lives: number })[] = [];
    for (const agent of goingOn.values()) {
      const { lives, found } = await this.#ofEarlierLives(agent, before);
      if (found.length > 0) living.push({ ...agent, lives, found });
    }
    return { over, living };
  }

  /** Its home is one for all lives, so it stays. */
  async #ofEarlierLives(
    { view, found }: Over,
    before: number,
  ): Promise<{ readonly lives: number; readonly found: readonly FoundLeftover[] }> {
    const output = found.find(({ kind }) => kind === 'output');
    const files = output === undefined ? [] : await this.#ports.leftovers.filesIn(output.path);
    const stems = new Set(files.flatMap(({ name }) => stemOfFile(name) ?? []));
    const fold = new LivesFold(stems);
    for await (const event of readStream(this.#ports.journal(), runStream(view.id), 0))
      fold.take(event);
    const earlier = fold.choose(before);
    const old = files.filter(({ name }) => earlier.stems.has(stemOfFile(name) ?? ''));
    const bytes = old.reduce((sum, one) => sum + one.bytes, 0);
    const trees = found.filter(({ place }) => place !== null && place.attempt < earlier.treesBelow);
    const outputs =
      output === undefined || old.length === 0
        ? []
        : [{ ...output, bytes, files: old.map(({ name }) => name) }];
    return { lives: earlier.lives, found: [...trees, ...outputs] };
  }
}

type Over = { readonly view: RunView; readonly found: readonly FoundLeftover[] };

function rowOf({ view, found }: Over): { run: RunId; task: string; leftovers: Leftover[] } {
  const leftovers = found.map(({ kind, path, bytes }) => ({ kind, path, bytes }));
  return { run: view.id as RunId, task: view.task, leftovers };
}

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
