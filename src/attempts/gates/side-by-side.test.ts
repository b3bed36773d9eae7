/** Gates that run at the same time: which begin together, and how their results count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import { done, driveAttempts, START_MS } from '../../../test/support/drive-attempts.ts';
import { gated } from '../../../test/support/gated-attempts.ts';
import { begunCommand } from '../../../test/support/begun-command.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { attemptsProgram } from '../attempts-program.ts';

const gate = (name: string, more: Partial<PinnedGate> = {}): PinnedGate => ({
  ...{ name, command: [name], timeoutMs: 1000 },
  ...more,
});
const safe = (name: string, more: Partial<PinnedGate> = {}): PinnedGate =>
  gate(name, { parallelSafe: true, ...more });

/** A run whose first attempt is done, with the gates begun that the program asks for. */
class Judging {
  state: ReturnType<typeof attemptsProgram.start>;
  #seq: number;

  constructor(gates: readonly PinnedGate[]) {
    const settings = gated(['a'], { gates });
    // The drive stops when the first gate begins, because an interrupted owner would try again.
    const { events } = driveAttempts({ settings, attempts: [done] });
    const upTo = events.findIndex(
      (event) => event.type === 'command.begun' && event.payload.command === 'gate',
    );
    this.state = attemptsProgram.start({
      program: 'attempts',
      task: 'the task',
      project: '/app',
      settings,
    });
    this.#seq = 1;
    for (const event of events.slice(0, upTo)) this.#write(event);
  }

  #write(event: object): void {
    this.#seq += 1;
    const stored = { id: 1, stream: 'run/a', seq: this.#seq, v: EVENT_VERSION, at: START_MS };
    this.state = attemptsProgram.fold(this.state, { ...stored, ...event } as unknown as RunEvent);
  }

  /** Begins what the program asks for, as the engine does, and says it. */
  step(): string {
    const moves = attemptsProgram.next(this.state, at(START_MS), 0.5);
    for (const move of moves) {
      if (move.kind !== 'perform') continue;
      const { command, input } = begunCommand(move);
      const payload = { key: move.key, command, input, limits: [] };
      this.#write(runEvent({ type: 'command.begun', payload }));
    }
    return moves
      .map((move) => {
        if (move.kind === 'perform') return move.key;
        return move.kind === 'cancel' ? `${move.kind} ${move.key}` : move.kind;
      })
      .join(' ');
  }

  end(key: string, kind: 'green' | 'red' | 'interrupted'): this {
    const result =
      kind === 'green'
        ? { kind: 'passed', name: key }
        : { kind: 'failed', name: key, exit: 1, tail: `${key} is red` };
    const end = (
      kind === 'interrupted' ? { kind } : { kind: 'done', result }
    ) as CommandEnd<'gate'>;
    this.#write(runEvent({ type: 'command.ended', payload: { key, end } }));
    return this;
  }

  stop(): this {
    this.#write({ type: 'signal.received', payload: { signal: { kind: 'stop' } } });
    return this;
  }

  get red(): string | undefined {
    return this.state.past.at(-1)?.redGate?.name;
  }
}

const GROUPS: readonly (readonly [why: string, gates: readonly PinnedGate[], begun: string])[] = [
  ['one gate begins by default', [gate('a'), gate('b')], 'gate-1-0'],
  ['a gate that is not safe begins alone', [safe('a'), gate('b')], 'gate-1-0'],
  ['a safe gate waits for one that is not', [gate('a'), safe('b')], 'gate-1-0'],
  ['safe gates begin together', [safe('a'), safe('b'), gate('c')], 'gate-1-0 gate-1-1'],
  [
    'a gate that depends on one of them waits',
    [safe('a'), safe('b', { dependsOn: ['a'] })],
    'gate-1-0',
  ],
];

describe('gates that may run side by side', () => {
  for (const [why, gates, begun] of GROUPS)
    test(why, () => assert.equal(new Judging(gates).step(), begun));

  test('count when all have ended, whichever ends first', () => {
    const run = new Judging([safe('a'), safe('b'), gate('c')]);
    run.step();
    run.end('gate-1-1', 'green');
    assert.deepEqual([run.step(), run.state.green], ['', 0]);
    run.end('gate-1-0', 'green');
    assert.deepEqual([run.state.green, run.step()], [2, 'gate-1-2']);
  });

  test('have the first red one in their order as the result', () => {
    const run = new Judging([safe('a'), safe('b')]);
    run.step();
    run.end('gate-1-1', 'red');
    assert.equal(run.red, undefined);
    run.end('gate-1-0', 'red');
    assert.equal(run.red, 'gate-1-0');
  });

  test('have a later red one as the result if those before it are green', () => {
    const run = new Judging([safe('a'), safe('b')]);
    run.step();
    run.end('gate-1-1', 'red').end('gate-1-0', 'green');
    assert.deepEqual([run.red, run.state.green], ['gate-1-1', 1]);
  });

  test('run again alone if the owner died in between, which counts once', () => {
    const run = new Judging([safe('a'), safe('b'), safe('c')]);
    run.step();
    run.end('gate-1-1', 'green').end('gate-1-0', 'interrupted').end('gate-1-2', 'interrupted');
    assert.deepEqual(
      [run.state.interruptions, run.state.green, run.step()],
      [1, 0, 'gate-1-0.3 gate-1-2.3'],
    );
    run.end('gate-1-2.3', 'green').end('gate-1-0.3', 'green');
    assert.equal(run.state.green, 3);
  });

  test('are all cancelled by a stop', () => {
    const run = new Judging([safe('a'), safe('b')]);
    run.step();
    assert.equal(run.stop().step(), 'cancel gate-1-0 cancel gate-1-1');
  });
});
