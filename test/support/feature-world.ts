/** A world without an engine that plays the run of a feature: it begins the moves, ends commands, and checks the rules. */
import assert from 'node:assert/strict';
import { at } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import type { Move } from '../../src/engine/program.ts';
import { findAncestors } from '../../src/plan/feature-graph.ts';
import { featureProgram } from '../../src/plan/feature-program.ts';
import type { FeatureState } from '../../src/plan/feature-state.ts';
import { graphOf, nodeOf, progressOf } from '../../src/plan/feature-state.ts';
import { componentOfKey } from '../../src/plan/fold-feature.ts';
import { failedNode } from '../../src/plan/graph/settle-nodes.ts';
import { laneNameOf, laneOf, laneSettings, gatesOf } from '../../src/plan/lanes.ts';
import { parseFeature } from '../../src/plan/parse-feature.ts';
import { findOverlap } from '../../src/plan/patterns-overlap.ts';
import type { NewRunEvent, RunEvent } from '../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import { FEATURE_PROGRAM, allComponents, sharesProject } from '../../src/protocol/feature.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { FeatureSubmission } from '../../src/protocol/run-submission.ts';
import { begunCommand } from './begun-command.ts';
import type { LooseEnd } from './run-event.ts';
import { runEvent } from './run-event.ts';
import { definition, role, workflowSubmission } from './workflow-fixture.ts';

export type FeatureSetup = {
  readonly phases?: string;
  /** The lines of several projects. The run belongs to the first of them. */
  readonly projects?: string;
  /** The lines of a graph, in place of phases. */
  readonly nodes?: string;
  readonly capacity?: number;
  readonly gates?: readonly string[];
  readonly ask?: boolean;
};

export function featureSubmission(setup: FeatureSetup): FeatureSubmission {
  const { phases = '', projects, nodes, capacity = 4, gates = ['test'], ask = true } = setup;
  const several = projects === undefined ? '' : `projects:\n${projects}\n`;
  const parts = nodes === undefined ? `${several}phases:\n${phases}` : `nodes:\n${nodes}`;
  const plan = parseFeature(`id: P1T1\ntitle: A feature\n${parts}`, 'f.yaml');
  const plain = workflowSubmission(definition({ implement: role('coder', null) }), 'build');
  const { workflow, ...own } = plain.settings;
  const pinned = gates.map((name) => ({ name, command: ['make'], timeoutMs: 1000 }));
  const named = allComponents(plan).flatMap(({ node }) =>
    node?.kind === 'gate' ? node.gates : [],
  );
  const nodeGates = Object.fromEntries(
    named.map((name) => [name, [{ name, command: ['make'], timeoutMs: 1000 }]]),
  );
  const settings = { ...own, recovery: { ...own.recovery, ask } };
  const lane = {
    ...{ workflows: { '': workflow }, gates: pinned },
    interfaceGates: [{ name: 'interfaces', command: ['tsc'], timeoutMs: 1000 }],
  };
  const [, ...others] = plan.projects ?? [];
  const pinnedProjects = Object.fromEntries(
    others.map(({ name }) => [name, { ...lane, path: `/${name}`, settings }]),
  );
  return {
    ...plain,
    program: FEATURE_PROGRAM,
    settings: {
      ...settings,
      feature: {
        ...{ ...lane, plan, capacity, branch: 'ai/P1T1-a', nodeGates },
        ...(others.length === 0 ? {} : { projects: pinnedProjects }),
      },
    },
  };
}

export type OpenMove = {
  readonly key: string;
  readonly command: string;
  readonly input: Record<string, Json>;
  isCancelled: boolean;
};

/** Ends with `LooseEnd`, or stays open. */
export type Play = (key: string, command: string, isCancelled: boolean) => LooseEnd;

export class FeatureWorld {
  readonly trace: string[] = [];
  readonly open = new Map<string, OpenMove>();
  state: FeatureState;
  outcome: RunOutcome | undefined;
  readonly #submission: FeatureSubmission;
  readonly #facts: RunEvent[] = [];
  readonly #begun = new Set<string>();
  #now = 0;

  constructor(setup: FeatureSetup) {
    this.#submission = featureSubmission(setup);
    this.state = featureProgram.start(this.#submission);
  }

  /** Begins every move that is new. Returns whether the run continues. */
  decide(): boolean {
    const moves = featureProgram.next(this.state, at(this.#now), 0.5);
    assert.ok(moves.length > 0 || this.open.size > 0, 'it is stuck');
    for (const move of moves) this.#begin(move);
    return this.outcome === undefined;
  }

  end(key: string, play: Play): void {
    const move = this.open.get(key) ?? assert.fail(`${key} is not open`);
    const end = play(key, move.command, move.isCancelled);
    this.open.delete(key);
    this.#write(runEvent({ type: 'command.ended', payload: { key, command: move.command, end } }));
  }

  stop(): void {
    this.#write({ type: 'signal.received', payload: { signal: { kind: 'stop' } } });
  }

  /** A person holds, releases or skips. */
  queue(action: 'hold' | 'release' | 'skip', component: string | null): void {
    this.#write({
      type: 'signal.received',
      payload: { signal: { kind: 'merge-queue', action, component } },
    });
  }

  /** It waits until a person releases something. */
  get isParked(): boolean {
    const [move] = featureProgram.next(this.state, at(this.#now), 0.5);
    return move?.kind === 'park';
  }

  /** The owner dies: commands that it performed are interrupted, and the next owner folds everything again. */
  crash(): void {
    for (const [key, { command }] of this.open)
      if (command !== 'run' && command !== 'ask') this.end(key, () => ({ kind: 'interrupted' }));
    let again: FeatureState = featureProgram.start(this.#submission);
    for (const fact of this.#facts) again = featureProgram.fold(again, fact);
    assert.deepEqual(again, this.state);
    this.state = JSON.parse(JSON.stringify(again)) as FeatureState;
  }

  #begin(move: Move): void {
    if (move.kind === 'finish') {
      assert.equal(this.open.size, 0, 'it ends while commands are open');
      this.outcome = move.outcome;
      this.trace.push(`${move.outcome.kind}: ${move.outcome.reason}`);
      return;
    }
    assert.ok(move.kind !== 'wait');
    if (move.kind === 'park') return;
    const { key } = move;
    if (move.kind === 'cancel') {
      const found = this.open.get(key);
      if (found !== undefined && !found.isCancelled) this.trace.push(`cancels ${key}`);
      if (found !== undefined) found.isCancelled = true;
      return;
    }
    if (this.open.has(key)) return;
    assert.ok(!this.#begun.has(key), `${key} is used twice`);
    this.#begun.add(key);
    this.trace.push(key);
    const { command, input } = begunCommand(move);
    this.#checkBegin(key, command, input as Record<string, never>);
    this.open.set(key, { key, command, input, isCancelled: false });
    this.#write(runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } }));
  }

  #checkBegin(key: string, command: string, input: Record<string, never>): void {
    assert.equal(this.state.stop, null, 'nothing begins after a stop');
    const id = componentOfKey(key);
    const merges = ['merge-work', 'gate', 'commit-work'];
    const ofNode = (name: string): boolean =>
      nodeOf(this.state, componentOfKey(name) ?? '') !== undefined;
    if (failedNode(this.state) !== undefined)
      assert.equal(
        command,
        'commit-work',
        'after a failure, a graph only makes its commit certain',
      );
    const lane = laneNameOf(this.state, id ?? '');
    if (merges.includes(command) && !ofNode(key)) {
      const others = [...this.open.values()].filter(
        (one) =>
          merges.includes(one.command) &&
          !ofNode(one.key) &&
          laneNameOf(this.state, componentOfKey(one.key) ?? '') === lane,
      );
      assert.deepEqual(others, [], 'the merge queue is serial');
      const { all, back } = this.state.holds;
      assert.ok(!all && !back.includes(id ?? ''), 'what is held is not merged');
    }
    if (command === 'commit-work') {
      const gates = gatesOf(this.state, id ?? '').length;
      const { merge } = laneOf(this.state, id ?? '');
      assert.equal(merge.gates, gates, 'every gate was green');
      assert.deepEqual(input['work'], merge.work);
      assert.ok(
        this.state.landed.every((one) => one.id !== id),
        'it lands once',
      );
    }
    if (command === 'run' && id !== null) this.#checkStart(id, input);
    else if (id !== null && 'project' in input)
      assert.equal(input['project'], laneSettings(this.state, lane).path, 'it is of its project');
  }

  #checkStart(id: string, { submission }: Record<string, never>): void {
    const graph = graphOf(this.state);
    const own = graph.components.find((one) => one.id === id) ?? assert.fail(id);
    for (const before of findAncestors(graph).get(id) ?? [])
      assert.equal(progressOf(this.state, before).state, 'complete');
    const busy = graph.components.filter((one) =>
      ['working', 'collecting', 'queued'].includes(progressOf(this.state, one.id).state),
    );
    for (const other of busy) {
      assert.notEqual(other.id, id, 'it is at work already');
      if (!sharesProject(own, other)) continue;
      assert.equal(findOverlap(own.touches, other.touches), undefined);
      const changed = progressOf(this.state, other.id).touched;
      assert.equal(findOverlap(own.touches, changed), undefined, 'it is not changed elsewhere');
    }
    const running = [...this.open.values()].filter(({ command }) => command === 'run');
    assert.ok(running.length < this.#submission.settings.feature.capacity);
    const { settings, project } = submission as unknown as {
      project: string;
      settings: { workflow: { startsFrom: unknown } };
    };
    const { tip } = laneOf(this.state, id);
    assert.deepEqual(settings.workflow.startsFrom, tip, 'it starts with what landed');
    const { path } = laneSettings(this.state, laneNameOf(this.state, id));
    assert.equal(project, path, 'it works in its project');
  }

  #write(event: NewRunEvent): void {
    this.#now += 1000;
    const seq = this.#facts.length + 2;
    const fact = { id: seq, stream: 'run/a', seq, v: EVENT_VERSION, at: this.#now, ...event };
    this.#facts.push(fact);
    this.state = featureProgram.fold(this.state, fact);
    assert.deepEqual(JSON.parse(JSON.stringify(this.state)), this.state);
  }
}

const point = (name: string): object => ({ run: 'a', tree: 1, commit: name, content: name });
const done = (result: object): LooseEnd => ({ kind: 'done', result });

/** How a command ends if nothing goes wrong. */
export function goesWell(key: string, command: string, isCancelled: boolean): LooseEnd {
  const id = componentOfKey(key) ?? '';
  switch (command) {
    case 'open-base':
      return done({ kind: 'opened', work: point('base') });
    case 'run': {
      const kind = isCancelled ? 'cancelled' : 'unverified';
      return done({ run: 'c', outcome: { kind, reason: kind } });
    }
    case 'collect-step':
      return done({ work: { ...point(`work of ${id}`), files: 1, names: [] }, base: null });
    case 'write-interfaces':
      return done({ kind: 'written', work: point(`work of ${key}`), names: ['t.d.ts'] });
    case 'merge-work':
      return done({ kind: 'merged', work: point(`merged ${key}`), names: [`${id}.txt`] });
    case 'gate':
      return done({ kind: 'passed', name: 'test' });
    case 'commit-work':
      return done({ kind: 'committed', branch: 'b', commit: `c ${id}`, pullRequest: null });
    default:
      return done(isCancelled ? { cancelled: true } : { answer: 'retry' });
  }
}
