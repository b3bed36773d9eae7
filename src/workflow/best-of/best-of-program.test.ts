/** Several agents on one task, driven without an engine: a script answers the moves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Move } from '../../engine/program.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { BestOfSubmission } from '../../protocol/run-submission.ts';
import { begunCommand } from '../../../test/support/begun-command.ts';
import type { LooseEnd } from '../../../test/support/run-event.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import type { BestOfState } from './best-of-program.ts';
import { bestOfProgram } from './best-of-program.ts';

const AGENTS = ['a', 'b', 'c'].map((id) => ({ id, cli: id, args: [], env: {} }));
const SUBMISSION = {
  ...{ program: BEST_OF_PROGRAM, task: 'fix it', project: '/p' },
  settings: {
    ...PINNED_DEFAULTS,
    interruptionsMax: 2,
    agent: AGENTS[0],
    bestOf: { agents: AGENTS },
  },
} as unknown as BestOfSubmission;
const BASE = { run: 'self', tree: 1, commit: 'base', content: 'x' };

/** How each agent ends: its outcome, and its cost. */
type Ends = Readonly<Record<string, readonly [RunOutcome['kind'], number?]>>;

class World {
  state: BestOfState = bestOfProgram.start(SUBMISSION);
  readonly trace: string[] = [];
  readonly open = new Map<string, { command: string; input: Readonly<Record<string, unknown>> }>();
  readonly #facts: RunEvent[] = [];
  outcome: RunOutcome | undefined;

  decide(): void {
    const moves = bestOfProgram.next(this.state, at(0), 0.5);
    assert.ok(moves.length > 0 || this.open.size > 0, 'it is stuck');
    for (const move of moves) this.#begin(move);
  }

  #begin(move: Move): void {
    if (move.kind === 'finish') {
      assert.equal(this.open.size, 0);
      this.outcome = move.outcome;
      return;
    }
    if (move.kind === 'cancel')
      return this.end(move.key, {
        kind: 'done',
        result: { run: 'x', outcome: { kind: 'cancelled', reason: '' } },
      });
    assert.ok('key' in move);
    if (this.#facts.some((fact) => 'key' in fact.payload && fact.payload.key === move.key)) return;
    const begun = begunCommand(move);
    this.trace.push(move.key);
    this.open.set(move.key, { command: begun.command, input: begun.input });
    const payload = { key: move.key, limits: [], ...begun };
    this.write({ type: 'command.begun', payload } as unknown as NewRunEvent);
  }

  end(key: string, end: LooseEnd): void {
    const command = this.open.get(key)?.command ?? assert.fail(`${key} is not open`);
    this.open.delete(key);
    this.write(runEvent({ type: 'command.ended', payload: { key, command, end } }));
  }

  write(event: NewRunEvent): void {
    const seq = this.#facts.length + 2;
    const fact = {
      ...event,
      id: seq,
      seq,
      stream: 'run/self',
      v: EVENT_VERSION,
      at: 0,
    } as RunEvent;
    this.#facts.push(fact);
    this.state = bestOfProgram.fold(this.state, fact);
    let again: BestOfState = bestOfProgram.start(SUBMISSION);
    for (const one of this.#facts) again = bestOfProgram.fold(again, one);
    assert.deepEqual(again, this.state);
  }

  /** Until its end; the first command of each kind in `dies` is interrupted once. */
  play(ends: Ends, dies: readonly string[] = []): string {
    const toDie = new Set(dies);
    for (let step = 0; step < 50 && this.outcome === undefined; step += 1) {
      this.decide();
      const [key] = [...this.open.keys()];
      if (key === undefined) continue;
      const command = this.open.get(key)?.command ?? '';
      if (toDie.delete(command)) this.end(key, { kind: 'interrupted' });
      else this.end(key, this.#play(key, command, ends));
    }
    return `${this.outcome?.kind}: ${this.outcome?.reason}`;
  }

  #play(key: string, command: string, ends: Ends): LooseEnd {
    if (command === 'open-base') return { kind: 'done', result: { kind: 'opened', work: BASE } };
    if (command === 'collect-step') {
      const run =
        this.open.get(key)?.input['run'] ??
        this.state.candidates.find(({ run: one }) => one !== null)?.run;
      const work = { ...BASE, run, files: 1, added: 1, deleted: 0, names: [] };
      return {
        kind: 'done',
        result: { answer: null, summary: '', work, base: BASE, failure: null },
      };
    }
    const [kind, usd] = ends[key.slice(-1)] ?? assert.fail(key);
    const spent =
      usd === undefined ? {} : { spent: { tokens: 1, usd, calls: 1, unpricedCalls: 0 } };
    return {
      kind: 'done',
      result: { run: `run-${key}`, outcome: { kind, reason: 'r' }, ...spent },
    };
  }
}

describe('the program that lets several agents do a task', () => {
  test('starts all of them at once from the same files, and takes the work of the best', () => {
    const world = new World();
    world.decide();
    world.end('base', { kind: 'done', result: { kind: 'opened', work: BASE } });
    world.decide();
    assert.deepEqual([...world.open.keys()], ['try-1-1-a', 'try-2-1-b', 'try-3-1-c']);
    const moves = bestOfProgram.next(world.state, at(0), 0.5);
    assert.deepEqual(moves, [], 'each is started once');
    const said = world.play({ a: ['failed'], b: ['succeeded', 2], c: ['succeeded', 1] });
    assert.match(said, /^succeeded: c is the best of 3/);
    assert.equal(world.trace.at(-1), 'collect-best');
    assert.equal(world.state.candidates[2]?.run, 'run-try-3-1-c');
  });

  test('gives each its own agent and no other, and the same base', () => {
    const world = new World();
    world.decide();
    world.end('base', { kind: 'done', result: { kind: 'opened', work: BASE } });
    const moves = bestOfProgram.next(world.state, at(0), 0.5);
    const given = moves.map((move) => {
      assert.ok(move.kind === 'run' && move.submission.program === 'attempts');
      const { agent, chain = [], startsFrom } = move.submission.settings;
      assert.ok(!('bestOf' in move.submission.settings));
      return [agent.id, chain.map(({ id }) => id).join(), startsFrom];
    });
    assert.deepEqual(given, [
      ['a', 'a', BASE],
      ['b', 'b', BASE],
      ['c', 'c', BASE],
    ]);
  });

  test('fails if none did the task, and takes no work', () => {
    const world = new World();
    assert.match(
      world.play({ a: ['failed'], b: ['exhausted'], c: ['cancelled'] }),
      /^failed: none of 3/,
    );
    assert.ok(!world.trace.includes('collect-best'));
  });

  test('repeats its own commands after a crash, and gives up after too many', () => {
    const ends: Ends = { a: ['succeeded', 1], b: ['failed'], c: ['failed'] };
    const world = new World();
    assert.match(world.play(ends, ['open-base', 'collect-step']), /^succeeded: a is the best/);
    assert.deepEqual(world.trace, [
      'base',
      'base.2',
      'try-1-1-a',
      'try-2-1-b',
      'try-3-1-c',
      'collect-best',
      'collect-best.2',
    ]);
    const dead = new World();
    for (const key of ['base', 'base.2', 'base.3']) {
      dead.decide();
      dead.end(key, { kind: 'interrupted' });
    }
    dead.decide();
    assert.deepEqual(dead.outcome, { kind: 'failed', reason: 'open-base was interrupted 3 times' });
  });

  test('stops all of them with a person, and is not judged then', () => {
    const world = new World();
    world.decide();
    world.end('base', { kind: 'done', result: { kind: 'opened', work: BASE } });
    world.decide();
    world.end('try-1-1-a', {
      kind: 'done',
      result: { run: 'x', outcome: { kind: 'succeeded', reason: '' } },
    });
    world.write({ type: 'signal.received', payload: { signal: { kind: 'stop' } } });
    world.decide();
    world.decide();
    assert.deepEqual(world.outcome, {
      kind: 'cancelled',
      reason: 'stopped by the user after 1 of 3 agents',
    });
  });

  test('tries those that failed again if it is resumed', () => {
    const world = new World();
    world.play({ a: ['failed'], b: ['failed'], c: ['failed'] });
    const forked = bestOfProgram.fork?.(world.state, SUBMISSION) ?? assert.fail();
    const moves = bestOfProgram.next(forked, at(0), 0.5);
    assert.deepEqual(
      moves.map((move) => ('key' in move ? move.key : move.kind)),
      ['try-1-2-a', 'try-2-2-b', 'try-3-2-c'],
    );
  });
});
