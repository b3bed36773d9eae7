/**
 * Frees disk space. It removes workspaces, homes and outputs of runs that ended long ago, and
 * briefs to which no other run refers. Of running agents, it removes workspaces and outputs of
 * earlier lives. The files on disk are the list, and the journal says which of them are no longer
 * needed. Each step can be repeated, so the next prune completes an interrupted one.
 */
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Serial } from '../../base/serial.ts';
import type { NewOwnerEvent } from '../../protocol/event.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import { runStream } from '../../protocol/streams.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { Leftover, PrunePlan, Pruned } from '../../protocol/views/prune-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { LivesFold, stemOfFile } from './earlier-lives.ts';
import { readStream } from '../run-reader.ts';
import type { KnownRuns } from './unused-briefs.ts';
import type { FoundLeftover, Leftovers } from './prune-leftovers.ts';

export type PrunePorts = {
  readonly leftovers: Leftovers;
  readonly journal: () => Pick<KnownRuns, 'run' | 'readStream'>;
  readonly record: (event: NewOwnerEvent) => Promise<void>;
  /** Aborts when the owner closes and there is no more time. */
  readonly signal: AbortSignal;
};

export class Prune {
  readonly #ports: PrunePorts;
  /** One prune at a time: a second one would meet trees that the first has half removed. */
  readonly #pruning = new Serial();

  constructor(ports: PrunePorts) {
    this.#ports = ports;
  }

  /** What can be removed of runs that ended before then, oldest first. Changes nothing. */
  async plan(before: number): Promise<PrunePlan> {
    const { ended, running } = await this.#findPrunable(before);
    const runs = [...ended.values()].map((entry) => ({
      ...toRow(entry),
      endedAt: entry.view.endedAt ?? 0,
    }));
    const agents = running.map((entry) => ({ ...toRow(entry), lives: entry.lives }));
    const briefs = [...(await this.#ports.leftovers.briefs(before))];
    return {
      before,
      bytes: sumBytes([...[...runs, ...agents].flatMap(({ leftovers }) => leftovers), ...briefs]),
      runs: runs.toSorted((a, b) => a.endedAt - b.endedAt),
      agents,
      briefs,
    };
  }

  /**
   * Removes it. Work that cannot be committed to a ref, and files that cannot be removed, stay and
   * are listed.
   */
  prune(before: number): Promise<Pruned> {
    return this.#pruning.run(() => this.#prune(before));
  }

  async #prune(before: number): Promise<Pruned> {
    const { record, signal } = this.#ports;
    const { ended, running } = await this.#findPrunable(before);
    const briefs = await this.#ports.leftovers.briefs(before);
    const [runs, agents] = [ended.size, running.length];
    if (runs + agents + briefs.length === 0)
      return { runs: 0, agents: 0, briefs: 0, bytes: 0, remaining: [] };
    await record({ type: 'prune.begun', payload: { before, runs, agents } });
    const remaining: { path: string; why: string }[] = [];
    let bytes = 0;
    const found = [...ended.values(), ...running].flatMap((entry) => entry.found);
    for (const entry of [...found, ...briefs.map((brief) => ({ ...brief, workspace: null }))]) {
      if (signal.aborted) throw closing();
      const why = await this.#remove(entry);
      if (why === null) bytes += entry.bytes;
      else remaining.push({ path: entry.path, why });
    }
    await record({
      type: 'prune.ended',
      payload: { runs, agents, bytes, remaining: remaining.length },
    });
    return { runs, agents, briefs: briefs.length, bytes, remaining };
  }

  /** Null if it was removed, otherwise the reason why not. */
  async #remove({
    workspace,
    path,
    files,
  }: Pick<FoundLeftover, 'workspace' | 'path' | 'files'>): Promise<string | null> {
    const { leftovers } = this.#ports;
    try {
      if (files !== undefined) await leftovers.removeFiles(path, files);
      else if (workspace === null) await leftovers.remove(path);
      else if ((await leftovers.discard(workspace)).kind === 'stays')
        return 'some of its files cannot be committed to a ref';
      return null;
    } catch (error) {
      if (isRefusal(error)) return error.message;
      if (error instanceof Error && 'code' in error) return describeError(error); // an error of the file system
      throw error; // anything else is a defect
    }
  }

  async #findPrunable(before: number): Promise<{
    readonly ended: ReadonlyMap<RunId, PrunableRun>;
    readonly running: readonly (PrunableRun & { readonly lives: number })[];
  }> {
    const ended = new Map<RunId, PrunableRun>();
    const runningAgents = new Map<RunId, PrunableRun>();
    for (const entry of await this.#ports.leftovers.listForRuns()) {
      const known = ended.get(entry.run) ?? runningAgents.get(entry.run);
      // If the journal does not know a run, the run may not be over, so its files stay.
      const view = known?.view ?? (await this.#ports.journal().run(entry.run));
      if (view === undefined) continue;
      const found = [...(known?.found ?? []), entry];
      if (await this.#isNeeded(view)) continue;
      if (view.endedAt !== null && view.endedAt < before) ended.set(entry.run, { view, found });
      if (view.endedAt === null && view.program === AGENT_PROGRAM)
        runningAgents.set(entry.run, { view, found });
    }
    const running: (PrunableRun & { readonly lives: number })[] = [];
    for (const agent of runningAgents.values()) {
      const { lives, found } = await this.#findEarlierLives(agent, before);
      if (found.length > 0) running.push({ ...agent, lives, found });
    }
    return { ended, running };
  }

  /** A later step of a workflow may start with the work of an earlier one, whose run has ended. */
  async #isNeeded(view: RunView): Promise<boolean> {
    let run = view;
    for (let depth = 0; depth < CHILD_DEPTH_MAX && run.program !== AGENT_PROGRAM; depth += 1) {
      const above = run.parent === null ? undefined : await this.#ports.journal().run(run.parent);
      if (above === undefined) return false;
      if (above.endedAt === null) return true;
      run = above;
    }
    return false;
  }

  /** The home of an agent belongs to all its lives, so it remaining. */
  async #findEarlierLives(
    { view, found }: PrunableRun,
    before: number,
  ): Promise<{ readonly lives: number; readonly found: readonly FoundLeftover[] }> {
    const output = found.find(({ kind }) => kind === 'output');
    const files = output === undefined ? [] : await this.#ports.leftovers.filesIn(output.path);
    const stems = new Set(files.flatMap(({ name }) => stemOfFile(name) ?? []));
    const fold = new LivesFold(stems);
    for await (const event of readStream(this.#ports.journal(), runStream(view.id), 0))
      fold.add(event);
    const earlier = fold.choose(before);
    const old = files.filter(({ name }) => earlier.stems.has(stemOfFile(name) ?? ''));
    const bytes = old.reduce((sum, entry) => sum + entry.bytes, 0);
    const trees = found.filter(
      ({ workspace }) => workspace !== null && workspace.attempt < earlier.treesBelow,
    );
    const outputs =
      output === undefined || old.length === 0
        ? []
        : [{ ...output, bytes, files: old.map(({ name }) => name) }];
    return { lives: earlier.lives, found: [...trees, ...outputs] };
  }
}

type PrunableRun = { readonly view: RunView; readonly found: readonly FoundLeftover[] };

function toRow({ view, found }: PrunableRun): { run: RunId; task: string; leftovers: Leftover[] } {
  const leftovers = found.map(({ kind, path, bytes }) => ({ kind, path, bytes }));
  return { run: view.id as RunId, task: view.task, leftovers };
}

function sumBytes(leftovers: readonly Leftover[]): number {
  return leftovers.reduce((sum, { bytes }) => sum + bytes, 0);
}

function closing(): Refusal {
  return new Refusal({
    code: 'owner.closing',
    message: 'The owner closed before everything was removed.',
    hint: 'Complete it with: supervisor runs prune',
  });
}
