/**
 * Drives the program of a long-lived agent alone: a script answers its moves, and the result is a
 * list of short sentences. It needs no engine, machine or time.
 */
import assert from 'node:assert/strict';
import { readTurnNotes } from '../../src/attempts/turn-notes.ts';
import { at, isoTime } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import { agentProgram } from '../../src/agents/agent-program.ts';
import type { AgentProgramState } from '../../src/agents/agent-state.ts';
import type { AgentStatus } from '../../src/agents/agent-status.ts';
import { agentState, agentStatus } from '../../src/agents/agent-status.ts';
import { DEFAULT_HEALTH } from '../../src/monitors/health.ts';
import { DEFAULT_TRIGGERS } from '../../src/monitors/triggers.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import type { AgentSubmission } from '../../src/protocol/run-submission.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import type { LongLivedSettings } from '../../src/protocol/long-lived-agent.ts';
import { START_MS, settingsFor } from './drive-attempts.ts';
import { describeExitOf, describeMove, textIn } from './agent-history-fixture.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../src/protocol/contracts/attempt-contract.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';
import type {
  AvailabilityInput,
  ClaimItemResult,
  CommandEnd,
} from '../../src/protocol/commands.ts';
import { begunCommand } from './begun-command.ts';
import { runEvent } from './run-event.ts';
import { AGENT_PROGRAM } from '../../src/protocol/agent-program-name.ts';
import type { LooseEnd } from './run-event.ts';

export const AGENT_SETTINGS: LongLivedSettings = {
  name: 'ada',
  kind: 'mortal',
  parent: null,
  supervisor: 'agents/pool',
  declared: false,
  commitments: [],
  onDone: 'dismiss',
  queue: null,
  flags: { perseverance: false, userPresent: false },
  grant: {
    writes: [],
    reads: [],
    hosts: [],
    capabilities: [],
    budget: { usd: null, tokens: null, calls: null, wallMs: null },
  },
  triggers: DEFAULT_TRIGGERS,
  health: DEFAULT_HEALTH,
  violations: [],
  restart: { type: 'transient', restartsMax: 3, withinMs: 300_000, backoff: null },
};

export type AgentScript = {
  readonly life?: Partial<LongLivedSettings>;
  readonly model?: string;
  /**
   * How the turns end, in order. `interrupted`: the owner died. `open`: the turn does not end. Any other
   * text is the output of a completed turn. After the last, the drive stops.
   */
  readonly turns?: readonly (AttemptOutcome | string)[];
  readonly checks?: readonly (GateOutcome | 'interrupted')[];
  readonly answers?: readonly string[];
  /**
   * Until when the agent cools down, as each availability check before a turn finds. Null or
   * absent: it does not.
   */
  readonly cooling?: readonly (number | null)[];
  readonly queue?: readonly (ClaimItemResult | 'interrupted')[];
  /** Signals sent while the command with that key is open, before it ends. */
  readonly says?: Readonly<Record<string, readonly Signal[]>>;
  /**
   * Signals sent each time that nothing is running, in order. The first life begins without one.
   */
  readonly later?: readonly Signal[];
  readonly isNotStarted?: boolean;
};

export type DrivenAgent = {
  readonly trace: readonly string[];
  readonly inputs: readonly AttemptInput[];
  /** The prompt of each turn, as its CLI would receive it. */
  readonly prompts: readonly string[];
  readonly questions: readonly string[];
  readonly states: readonly string[];
  readonly state: AgentProgramState;
  readonly status: AgentStatus;
  readonly events: readonly NewRunEvent[];
};

export function agentTestSubmission(
  life: Partial<LongLivedSettings> = {},
  model?: string,
): AgentSubmission {
  const settings = settingsFor(['a']);
  const agent = { ...settings.agent, ...(model === undefined ? {} : { model }) };
  return {
    program: AGENT_PROGRAM,
    task: 'the assignment',
    project: '/app',
    settings: { ...settings, agent, longLived: { ...AGENT_SETTINGS, ...life } },
  };
}

const MOVES_MAX = 500;

export function driveAgent(script: AgentScript): DrivenAgent {
  const reported: string[] = [];
  const events: NewRunEvent[] = [];
  const inputs: AttemptInput[] = [];
  const questions: string[] = [];
  let state = agentProgram.start(agentTestSubmission(script.life, script.model));
  const states: string[] = [agentState(state)];
  let now = START_MS;
  const used: Record<string, number> = {};
  const nth = (what: string): number => (used[what] = (used[what] ?? 0) + 1) - 1;
  const later = [
    ...(script.isNotStarted === true ? [] : [{ kind: 'start-life', life: 1 } as const]),
    ...(script.later ?? []),
  ];
  const write = (event: NewRunEvent): void => {
    events.push(event);
    const position = {
      id: events.length,
      stream: 'run/a',
      seq: events.length + 1,
      v: EVENT_VERSION,
    };
    const before = state;
    state = agentProgram.fold(state, { ...position, at: now, ...event });
    if (agentState(state) !== agentState(before)) states.push(agentState(state));
    const { exit } = agentStatus(state);
    if (exit !== null && agentStatus(before).exit === null)
      reported.push(`exit ${describeExitOf(exit)}`);
    // A snapshot may be taken after any fact, so the state must survive JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(state)) as Json, state);
  };
  const sendSignal = (signal: Signal): void =>
    write({ type: 'signal.received', payload: { signal } });
  const end = (key: string, how: LooseEnd): void =>
    write(runEvent({ type: 'command.ended', payload: { key, end: how } }));
  const toResult = (): DrivenAgent => ({
    trace: reported,
    inputs,
    prompts: inputs.map(({ prompt, resumePrompt }) => resumePrompt ?? prompt),
    questions,
    states,
    state,
    status: agentStatus(state),
    events,
  });

  for (let moves = 0; moves < MOVES_MAX; moves += 1) {
    const known = new Set(
      events.flatMap((one) => (one.type === 'command.begun' ? [one.payload.key] : [])),
    );
    const open = new Set(state.open.map(({ key }) => key));
    const requested = agentProgram.next(state, at(now), 0.5).filter((move) => {
      if (move.kind === 'cancel') return open.has(move.key);
      return !('key' in move) || !known.has(move.key);
    });
    const move = requested.find(({ kind }) => kind !== 'park') ?? requested[0];
    if (move === undefined || move.kind === 'park') {
      const signal = later.shift();
      if (signal === undefined) return toResult();
      sendSignal(signal);
      continue;
    }
    if (move.kind === 'finish') {
      reported.push(`${move.outcome.kind}: ${move.outcome.reason}`);
      write({ type: 'run.ended', payload: { outcome: move.outcome } });
      return toResult();
    }
    if (move.kind === 'cancel') {
      reported.push(`calls off ${move.key}`);
      end(move.key, { kind: 'done', result: { cancelled: true, kind: 'stopped' } });
      continue;
    }
    const { command, input } = begunCommand(move);
    const description = describeMove(move, input, script.model !== undefined);
    if (description !== null) reported.push(description);
    write(
      runEvent({ type: 'command.begun', payload: { key: move.key, command, input, limits: [] } }),
    );
    for (const signal of script.says?.[move.key] ?? []) sendSignal(signal);
    const nextMoves = agentProgram.next(state, at(now), 0.5);
    if (nextMoves.some((one) => one.kind === 'cancel' && one.key === move.key)) continue;
    const how = playEnd(command, input);
    if (how === undefined) return toResult();
    if (state.open.some(({ key }) => key === move.key)) end(move.key, how);
  }
  throw new Error(`it decides without end: ${reported.slice(-10).join(', ')}`);

  /** Undefined: it does not end. */
  function playEnd(command: string, input: Record<string, Json>): LooseEnd | undefined {
    switch (command) {
      case 'attempt': {
        inputs.push(input as unknown as AttemptInput);
        now += 1000;
        const outcome = script.turns?.[nth('turn')];
        if (outcome === undefined || outcome === 'open') return undefined;
        return outcome === 'interrupted' ? { kind: 'interrupted' } : done(output(outcome));
      }
      case 'gate': {
        const check = script.checks?.[nth('check')] ?? { kind: 'passed', name: '' };
        return check === 'interrupted' ? { kind: 'interrupted' } : done(check);
      }
      case 'claim-item': {
        const taken = script.queue?.[nth('claim-item')];
        if (taken === undefined) return undefined;
        return taken === 'interrupted' ? { kind: 'interrupted' } : done(taken);
      }
      case 'check-availability': {
        const until = script.cooling?.[nth('check-availability')] ?? null;
        const [own] = (input as unknown as AvailabilityInput).agents;
        const rest = { identity: own?.identity ?? '', reason: 'others were limited' };
        return done({ cooling: until === null ? [] : [{ ...rest, until: isoTime(at(until)) }] });
      }
      case 'ask': {
        questions.push(textIn(input, 'question'));
        const answer = script.answers?.[nth('answer')];
        return answer === undefined ? undefined : done({ answer });
      }
      case 'wait':
        now = Math.max(now, Number(input['until']));
        return done({});
      default:
        return done({});
    }
  }
}

/** The conversation is always `s`. */
function output(outcome: AttemptOutcome | string): AttemptOutcome {
  if (typeof outcome !== 'string') return outcome;
  return { kind: 'completed', summary: outcome, session: 's', turnNotes: readTurnNotes(outcome) };
}

function done(result: object): CommandEnd {
  return { kind: 'done', result: { ...result } };
}
