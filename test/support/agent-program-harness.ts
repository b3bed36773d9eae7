/**
 * Drives the program of one long-lived agent without an engine, time or performers. After each fact
 * it checks the rules of a life.
 */
import assert from 'node:assert/strict';
import { at } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import type { Ledger } from '../../src/engine/ledger.ts';
import { EMPTY_LEDGER, foldLedger, freshMoves } from '../../src/engine/ledger.ts';
import type { Move } from '../../src/engine/program.ts';
import { agentProgram } from '../../src/agents/agent-program.ts';
import type { AgentProgramState } from '../../src/agents/agent-state.ts';
import { isAgentAlive, mainStep } from '../../src/agents/agent-state.ts';
import { agentState } from '../../src/agents/agent-status.ts';
import type { NewRunEvent, RunEvent } from '../../src/protocol/event.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import type { LongLivedSettings } from '../../src/protocol/long-lived-agent.ts';
import { AGENT_STATES } from '../../src/protocol/long-lived-agent.ts';
import { canReach } from './agent-transitions.ts';
import { agentTestSubmission } from './drive-agent.ts';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';
import { begunCommand } from './begun-command.ts';
import { runEvent } from './run-event.ts';

/** The next event: a signal, or the end of an open command. */
export type AgentHappening =
  | { readonly kind: 'says'; readonly signal: Signal }
  | {
      readonly kind: 'ends';
      readonly nth: number;
      readonly how: 'done' | 'interrupted' | 'defect';
      readonly outcome: AttemptOutcome;
      readonly answer: string;
      readonly other: Record<string, Json>;
    };

/** Records the moves that follow, and begins each key once. */
export class AgentProgramHarness {
  state: AgentProgramState & { readonly [key: string]: Json };
  ledger: Ledger = EMPTY_LEDGER;
  readonly begun: string[] = [];
  livesSaid = 0;
  #seq = 1;

  constructor(settings: Partial<LongLivedSettings>) {
    this.state = agentProgram.start(agentTestSubmission(settings));
  }

  write(event: NewRunEvent): void {
    const position = { id: this.#seq, stream: 'run/a', seq: (this.#seq += 1), v: EVENT_VERSION };
    const stored: RunEvent = { ...position, at: this.#seq * 1000, ...event };
    const before = this.state;
    this.state = agentProgram.fold(before, stored);
    this.ledger = foldLedger(this.ledger, stored);
    const [from, to] = [agentState(before), agentState(this.state)];
    const { flags } = this.state.pinned.agent;
    assert.ok(
      from === to || canReach(from, to, flags),
      `${from} became ${to} by ${JSON.stringify(event)}`,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(this.state)) as Json, this.state);
  }

  /** Until there is no new move. */
  advance(): readonly Move[] {
    for (let decisions = 0; decisions < 100; decisions += 1) {
      const requested = agentProgram.next(this.state, at(this.#seq * 1000), 0.5);
      const fresh = freshMoves(this.ledger, requested);
      if (fresh.length === 0) return requested;
      for (const move of fresh) this.#follow(move);
      if (this.ledger.ended) return [];
      this.check();
    }
    throw new Error('it decides without end');
  }

  happen(one: AgentHappening): void {
    if (one.kind === 'says') {
      const isNext = one.signal.kind === 'start-life' && one.signal.life === this.state.lives + 1;
      if (isNext && !isAgentAlive(this.state) && this.state.ending.outcome === null)
        this.livesSaid += 1;
      return this.write({ type: 'signal.received', payload: { signal: one.signal } });
    }
    const step = this.ledger.open[one.nth % Math.max(1, this.ledger.open.length)];
    if (step === undefined) return;
    const isOurs = step.command === 'ask' || step.command === 'wait';
    if (one.how !== 'done' && !isOurs)
      return this.#end(
        step.key,
        one.how === 'interrupted' ? { kind: 'interrupted' } : { kind: 'defect', message: 'm' },
      );
    const { other } = one;
    const isVerdict = other['kind'] === 'passed' || other['kind'] === 'failed';
    const results: Record<string, object> = {
      attempt: one.outcome,
      ask: { answer: one.answer },
      wait: {},
      'check-availability': { cooling: [], ...other },
      gate: isVerdict ? other : { kind: 'unable', name: 'a', why: 'it was cancelled' },
      take: isVerdict || other['kind'] === undefined ? { kind: 'cancelled' } : other,
    };
    this.#end(step.key, { kind: 'done', result: { ...(results[step.command] ?? other) } });
  }

  /** Until there is no new move. Every availability check finds no agent that is cooling down. */
  goOn(): void {
    for (let look = this.#look(); look !== undefined; look = this.#look())
      this.#end(look, { kind: 'done', result: { cooling: [] } });
  }

  #look(): string | undefined {
    this.advance();
    return this.ledger.open.find(({ command }) => command === 'check-availability')?.key;
  }

  isOver(): boolean {
    return this.ledger.ended;
  }

  check(): void {
    const { state } = this;
    assert.ok(AGENT_STATES.includes(agentState(state)));
    assert.equal(state.lives, this.livesSaid, 'no life begins unless it was said');
    const turns = this.ledger.open.filter(({ command }) => command === 'attempt');
    assert.ok(turns.length <= 1, 'one turn at a time');
    const main = state.open.filter((one) => mainStep({ open: [one] }) !== undefined);
    assert.ok(main.length <= 1, 'one thing at a time');
    assert.equal(state.open.length, this.ledger.open.length);
    assert.ok(state.leaving === null || main.length === 1, 'what nobody holds has been left');
    assert.ok(state.mailbox.inbox.length <= 100 && state.mailbox.outgoing.length <= 100);
    assert.ok(state.issues.open.length <= 20);
  }

  #follow(move: Move): void {
    switch (move.kind) {
      case 'perform':
      case 'wait':
      case 'run':
      case 'ask': {
        const { command, input } = begunCommand(move);
        const isBirth = command === 'attempt' || command === 'setup';
        assert.ok(!isBirth || isAgentAlive(this.state), 'nothing begins without a life');
        this.begun.push(command);
        return this.write(
          runEvent({
            type: 'command.begun',
            payload: { key: move.key, command, input, limits: [] },
          }),
        );
      }
      case 'cancel': {
        this.write({ type: 'command.cancelled', payload: { key: move.key, how: move.how } });
        const step = this.ledger.open.find(({ key }) => key === move.key);
        if (step?.command === 'ask' || step?.command === 'wait')
          this.#end(move.key, { kind: 'done', result: { cancelled: true } });
        return;
      }
      case 'finish':
        assert.equal(this.ledger.open.length, 0, 'it ends with nothing open');
        return this.write({ type: 'run.ended', payload: { outcome: move.outcome } });
      case 'park':
    }
  }

  #end(key: string, end: object): void {
    this.write(runEvent({ type: 'command.ended', payload: { key, end } }));
  }
}
