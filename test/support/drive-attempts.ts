/**
 * Drives the attempt loop alone: a script answers its moves, waits pass at once, and the result is
 * a list of short sentences. It needs no engine, machine or time.
 */
import assert from 'node:assert/strict';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import { skippedGate } from '../../src/attempts/gates/gate-outcome.ts';
import { failureClass } from '../../src/failures/failure.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../../src/attempts/supervisor-log.ts';
import { at } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import type { Move } from '../../src/engine/program.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import type { AttemptsSubmission } from '../../src/protocol/run-submission.ts';
import type { RunMessage } from '../../src/protocol/run-message.ts';
import type { PersonSignal } from '../../src/protocol/signal.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import type { FailureReason } from '../../src/protocol/failure-reason.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../src/protocol/contracts/attempt-contract.ts';
import type { CooldownInput } from '../../src/protocol/commands.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';
import type { AgentSpec, AttemptSettings } from '../../src/protocol/pinned-settings.ts';
import { PINNED_DEFAULTS } from './pinned-defaults.ts';
import { begunCommand } from './begun-command.ts';
import { runEvent } from './run-event.ts';
import type { LooseEnd } from './run-event.ts';

export const START_MS = Date.parse('2026-01-01T00:00:00Z');

type AttemptEnd = AttemptOutcome | 'interrupted' | 'open';

export type AttemptScript = {
  readonly settings?: Partial<AttemptSettings>;
  /** How the attempts end, in order. `interrupted`: the owner died. After the last, the drive stops. */
  readonly attempts: readonly (AttemptEnd | ((sinceStartMs: number) => AttemptOutcome))[];
  readonly gates?: readonly (GateOutcome | 'interrupted')[];
  /** How the gates judge the base, in order. More are green. */
  readonly baseline?: readonly (GateOutcome | 'interrupted')[];
  /** Names the files of the base. */
  readonly base?: string;
  /** Names the files that each attempt leaves, in order. Without a name, its work is not stored. */
  readonly contents?: readonly (string | undefined)[];
  /** An attempt that leaves files of this name reports that none differs from the base. */
  readonly unchangedFrom?: string;
  readonly answers?: readonly string[];
  /** How often the owner dies during finalize. */
  readonly finalizeInterruptions?: number;
  /** Signals of a user while the command with that key is open. `retry-now` skips a wait. */
  readonly says?: Readonly<
    Record<string, Exclude<PersonSignal['kind'], 'merge-queue'> | 'takeover'>
  >;
  /** Messages that arrive while the command with that key is open. */
  readonly tells?: Readonly<Record<string, readonly RunMessage[]>>;
  /** The facts about a command that has begun, before it ends. */
  readonly notes?: Readonly<Record<string, readonly Json[]>>;
  /** Identities that other runs found limited, with the time from the start. */
  readonly cooling?: Readonly<Record<string, number>>;
  /** Identities with a window that would not hold one more attempt, and its reset from the start. */
  readonly closing?: Readonly<Record<string, number>>;
  readonly uses?: Readonly<Record<string, number>>;
  readonly lastFirst?: string;
  /** There is no cooldown store here. */
  readonly withoutCooldowns?: boolean;
  readonly random?: number;
  /** How long each attempt lasts. Default: one second. */
  readonly attemptMs?: number;
  /** How much later the commands with these keys begin, because the run was paused. */
  readonly pausedBefore?: Readonly<Record<string, number>>;
  /** How much later they end, because the machine slept or the owner was dead. */
  readonly sleptIn?: Readonly<Record<string, number>>;
  readonly movesMax?: number;
};

export type DrivenRunTrace = {
  /** One sentence for each move, and how the run ended. */
  readonly trace: readonly string[];
  readonly log: readonly string[];
  readonly waits: readonly DrivenWait[];
  readonly prompts: readonly string[];
  readonly inputs: readonly AttemptInput[];
  readonly events: readonly NewRunEvent[];
};

type DrivenWait = {
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many attempts there were before it. */
  readonly after: number;
};

const AGENT_DEFAULTS = { args: [], env: {} };

export function agent(id: string, rest: Partial<AgentSpec> = {}): AgentSpec {
  return { id, cli: id, ...AGENT_DEFAULTS, ...rest };
}

export function settingsFor(
  agents: readonly string[],
  recovery: Partial<AttemptSettings['recovery']> = {},
  rest: Partial<AttemptSettings> = {},
): AttemptSettings {
  const chain = agents.map((id) => agent(id));
  return {
    agent: chain[0] ?? agent('a'),
    chain,
    ...PINNED_DEFAULTS,
    recovery: { ...PINNED_DEFAULTS.recovery, ...recovery },
    graceMs: 5000,
    deadlineMs: null,
    interruptionsMax: 2,
    outputBytesMax: 1000,
    ...rest,
  };
}

export function failed(reason: FailureReason, more: Failing = {}): AttemptOutcome {
  const { resetMs = null, session = null, bySignal = false, exit = null } = more;
  const resetAt = resetMs === null ? null : START_MS + resetMs;
  const failure = {
    ...failureClass(reason, { bySignal }),
    reason,
    message: reason,
    resetAt,
    evidence: [],
  };
  return { kind: 'failed', reason, message: reason, session, exit, failure };
}

type Failing = {
  readonly resetMs?: number;
  readonly session?: string;
  readonly bySignal?: boolean;
  readonly exit?: number;
};

export const done: AttemptOutcome = { kind: 'completed', summary: 'done' };

const MOVES_MAX = 400;

export function driveAttempts(script: AttemptScript): DrivenRunTrace {
  const settings = { ...settingsFor(['a']), ...script.settings };
  const submission: AttemptsSubmission = {
    program: 'attempts',
    task: 'the task',
    project: '/app',
    settings: { ...settings },
  };
  const reported: string[] = [];
  const log: string[] = [];
  const waits: DrivenWait[] = [];
  const events: NewRunEvent[] = [];
  const inputs: AttemptInput[] = [];
  const cooldowns = new Map(
    Object.entries(script.cooling ?? {}).map(([identity, ms]) => [identity, START_MS + ms]),
  );
  let state = attemptsProgram.start(submission);
  let now = START_MS;
  let lines = EMPTY_SUPERVISOR_LOG;
  let begun = { attempt: 0, gate: 0, ask: 0, finalize: 0, baseline: 0 };
  const write = (event: NewRunEvent): void => {
    events.push(event);
    const stored = {
      id: events.length,
      stream: 'run/a',
      seq: events.length + 1,
      v: EVENT_VERSION,
      at: now,
      ...event,
    };
    lines = foldSupervisorLog(lines, stored);
    log.push(...lines.lines);
    state = attemptsProgram.fold(state, stored);
    // A snapshot may be taken after any fact, so the state must survive JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(state)) as Json, state);
  };
  const end = (key: string, how: LooseEnd): void =>
    write(runEvent({ type: 'command.ended', payload: { key, end: how } }));

  for (let moves = 0; moves < (script.movesMax ?? MOVES_MAX); moves += 1) {
    const [move] = attemptsProgram.next(state, at(now), script.random ?? 0.5);
    if (move === undefined || move.kind === 'cancel' || move.kind === 'park') return cut();
    assert.ok(move.kind !== 'run', 'a plain run starts no run');
    if (move.kind === 'finish') {
      reported.push(`${move.outcome.kind}: ${move.outcome.reason}`);
      write({ type: 'run.ended', payload: { outcome: move.outcome } });
      return cut();
    }
    const { command, input } = begunCommand(move);
    const wanted = move.kind === 'perform' ? (move.limits ?? []) : [];
    const limits = wanted.map((one) => (typeof one === 'string' ? one : one.key));
    const fresh = { key: move.key, command, input, limits };
    now += script.pausedBefore?.[move.key] ?? 0;
    if (command !== 'finalize') reported.push(sentence(move));
    write(runEvent({ type: 'command.begun', payload: fresh }));
    const output = script.says?.[move.key];
    if (output !== undefined && output !== 'answer')
      write({ type: 'signal.received', payload: { signal: { kind: output } } });
    for (const note of script.notes?.[move.key] ?? [])
      write(runEvent({ type: 'command.noted', payload: { key: move.key, command, note } }));
    for (const message of script.tells?.[move.key] ?? [])
      write({ type: 'signal.received', payload: { signal: { kind: 'tell', message } } });
    // The program is asked again after every fact, as the engine does.
    const [off] = attemptsProgram.next(state, at(now), 0.5);
    if (off?.kind === 'cancel') {
      if (command !== 'finalize')
        reported.push(`${off.how === 'ask' ? 'asks' : 'kills'} ${off.key}`);
      const isOurs = move.kind !== 'perform';
      const cancelled = { kind: 'unable', name: '', why: 'it was cancelled' } as const;
      const stopped =
        command === 'gate'
          ? cancelled
          : command === 'baseline'
            ? { kind: 'judged', outcome: cancelled, how: 'ran', content: null }
            : { kind: 'stopped' };
      end(move.key, { kind: 'done', result: isOurs ? { cancelled: true } : stopped });
      continue;
    }
    switch (command) {
      case 'check-availability':
        end(
          move.key,
          script.withoutCooldowns === true
            ? { kind: 'defect', message: 'nobody' }
            : { kind: 'done', result: availability() },
        );
        break;
      case 'finalize':
        begun = { ...begun, finalize: begun.finalize + 1 };
        end(
          move.key,
          begun.finalize <= (script.finalizeInterruptions ?? 0)
            ? { kind: 'interrupted' }
            : { kind: 'done', result: { kind: 'finalized' } },
        );
        break;
      case 'set-cooldown': {
        const { identity, until } = input as unknown as CooldownInput;
        if (script.withoutCooldowns !== true) cooldowns.set(identity, Date.parse(until));
        end(
          move.key,
          script.withoutCooldowns === true
            ? { kind: 'defect', message: 'nobody' }
            : { kind: 'done', result: {} },
        );
        break;
      }
      case 'wait':
        waits.push({ fromMs: now, untilMs: Number(input['until']), after: begun.attempt });
        if (output === 'retry-now') end(move.key, { kind: 'done', result: { skipped: true } });
        else {
          now = Math.max(now, Number(input['until'])) + (script.sleptIn?.[move.key] ?? 0);
          end(move.key, { kind: 'done', result: {} });
        }
        break;
      case 'ask': {
        const answer = script.answers?.[begun.ask];
        begun = { ...begun, ask: begun.ask + 1 };
        if (answer === undefined) return cut();
        end(move.key, { kind: 'done', result: { answer, by: 'ada' } });
        break;
      }
      case 'baseline': {
        const outcome = script.baseline?.[begun.baseline] ?? { kind: 'passed', name: '' };
        begun = { ...begun, baseline: begun.baseline + 1 };
        const result = { kind: 'judged', outcome, how: 'ran', content: script.base ?? null };
        end(
          move.key,
          outcome === 'interrupted' ? { kind: 'interrupted' } : { kind: 'done', result },
        );
        break;
      }
      case 'gate': {
        if (move.kind === 'perform' && move.command === 'gate' && move.input.known !== undefined) {
          const { outcome, since } = move.input.known;
          end(move.key, { kind: 'done', result: { ...outcome, knownSince: since } });
          break;
        }
        if (move.kind === 'perform' && move.command === 'gate') {
          const { name, skippedFor } = move.input;
          if (skippedFor !== undefined) {
            end(move.key, { kind: 'done', result: skippedGate(name, skippedFor) });
            break;
          }
        }
        const gate = script.gates?.[begun.gate] ?? { kind: 'passed', name: '' };
        begun = { ...begun, gate: begun.gate + 1 };
        end(
          move.key,
          gate === 'interrupted' ? { kind: 'interrupted' } : { kind: 'done', result: gate },
        );
        break;
      }
      default: {
        inputs.push(input as unknown as AttemptInput);
        const scripted = script.attempts[begun.attempt];
        const content = script.contents?.[begun.attempt];
        begun = { ...begun, attempt: begun.attempt + 1 };
        if (scripted === undefined || scripted === 'open') return cut();
        now += (script.attemptMs ?? 1000) + (script.sleptIn?.[move.key] ?? 0);
        const outcome = typeof scripted === 'function' ? scripted(now - START_MS) : scripted;
        if (content !== undefined) {
          const files = content === script.unchangedFrom ? 0 : 1;
          const note = { kind: 'committed', content, files, names: [] };
          write(runEvent({ type: 'command.noted', payload: { key: move.key, note } }));
        }
        end(
          move.key,
          outcome === 'interrupted' ? { kind: 'interrupted' } : { kind: 'done', result: outcome },
        );
      }
    }
  }
  throw new Error(`it decides without end: ${reported.slice(-10).join(', ')}`);

  function availability(): Record<string, Json> {
    const cooling = [...cooldowns]
      .filter(([, until]) => until > now)
      .map(([identity, until]) => ({
        identity,
        until: new Date(until).toISOString(),
        reason: 'busy',
      }));
    const { uses = {}, lastFirst = null } = script;
    const closing = Object.entries(script.closing ?? {}).map(([identity, ms]) => ({
      ...{ identity, window: '5h', usedPercent: 97, perAttempt: 8, resetAt: START_MS + ms },
    }));
    const known = closing.length === 0 ? {} : { closing };
    return { at: new Date(now).toISOString(), cooling, uses: { ...uses }, lastFirst, ...known };
  }

  function cut(): DrivenRunTrace {
    const prompts = inputs.map(({ prompt }) => prompt);
    return { trace: reported, log, waits, prompts, inputs, events };
  }

  function sentence(move: Exclude<Move, { kind: 'run' }>): string {
    const after = now === START_MS ? '' : ` at ${(now - START_MS) / 1000} s`;
    switch (move.kind) {
      case 'perform':
        if (move.command === 'attempt') {
          const { agent: by, resume, why } = move.input;
          const whose = why.kind === 'takeover' ? ' taken over' : '';
          return `${by.id}${whose}${after}${typeof resume === 'string' ? ` in ${resume}` : ''}`;
        }
        if (move.command === 'set-cooldown') {
          const { agent: who, until } = move.input;
          return `cools ${who} until ${(Date.parse(until) - START_MS) / 1000} s`;
        }
        if (move.command === 'baseline') return `base ${move.input.name}`;
        if (move.command !== 'gate') return 'looks';
        if (move.input.skippedFor !== undefined) return `gate ${move.input.name} is skipped`;
        return `gate ${move.input.name}${move.input.known === undefined ? '' : ' is known'}`;
      case 'wait':
        return `waits until ${(move.until - START_MS) / 1000} s`;
      case 'ask':
        return `asks: ${move.question}`;
      case 'cancel':
      case 'finish':
      case 'park':
        return move.kind;
    }
  }
}
