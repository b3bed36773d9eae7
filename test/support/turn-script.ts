/** Turns of an agent in few words, made by the functions that read real ones. */
import { DEFAULT_STEERING } from '../../src/protocol/contracts/steering-contract.ts';
import type {
  DetectorName,
  PinnedSteering,
} from '../../src/protocol/contracts/steering-contract.ts';
import type {
  OrganizationRole,
  PacePlan,
} from '../../src/protocol/contracts/organization-contract.ts';
import type { TurnRecord, TurnStep } from '../../src/protocol/turn.ts';
import type { Watched } from '../../src/steering/anomaly.ts';
import { choosePolicy } from '../../src/steering/steering-policy.ts';
import { NEW_WATCH, watchTurn } from '../../src/steering/watch.ts';
import { turnStep } from '../../src/turns/turn-step.ts';

/** One tool call with its result. */
export type ScriptedStep = {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly isError: boolean;
};
/** The steps of one turn, and what else is known about it. */
export type ScriptedTurn = {
  readonly steps: readonly ScriptedStep[];
  /** From 0 to 1. */
  readonly context?: number;
  readonly text?: string;
  /** The model asks for no tool, although it is not the last turn. */
  readonly asksNothing?: true;
};

export function bash(
  command: string,
  output = `output of ${command}`,
  isError = false,
): ScriptedStep {
  return { tool: 'Bash', input: { command }, output, isError };
}

export function failed(command: string, output = 'Exit code 1'): ScriptedStep {
  return bash(command, output, true);
}

export function read(path: string, output = `text of ${path}`): ScriptedStep {
  return { tool: 'Read', input: { file_path: path }, output, isError: false };
}

export function edit(path: string, change = path): ScriptedStep {
  const input = { file_path: path, new_string: change };
  return { tool: 'Edit', input, output: 'The file was updated.', isError: false };
}

/** Any tool that fails. */
export function broken(tool: string, argument = 'x', output = 'Exit code 1'): ScriptedStep {
  return { tool, input: { argument }, output, isError: true };
}

export function plan(done: number, total: number): ScriptedStep {
  const todos = Array.from({ length: total }, (_, nth) => ({
    content: `item ${nth}`,
    status: nth < done ? 'completed' : 'pending',
  }));
  return { tool: 'TodoWrite', input: { todos }, output: 'Todos were changed.', isError: false };
}

export function turn(...steps: readonly ScriptedStep[]): ScriptedTurn {
  return { steps };
}

export function at(context: number, ...steps: readonly ScriptedStep[]): ScriptedTurn {
  return { steps, context };
}

/** So many turns, made by a function of their number from 1 on. */
export function turns(count: number, make: (nth: number) => ScriptedTurn): readonly ScriptedTurn[] {
  return Array.from({ length: count }, (_, nth) => make(nth + 1));
}

const CONTEXT_MAX = 200_000;

/**
 * The records of the script. As in a real conversation, the results of a turn are in the next record, so the script
 * ends with one record more.
 */
export function recordsOf(
  script: readonly ScriptedTurn[],
  conversation = 'c',
): readonly TurnRecord[] {
  const madeSteps = script.map(({ steps }, nth) =>
    steps.map((step, place): TurnStep => {
      const { tool, input, output, isError } = step;
      return turnStep({ tool, input }, { id: `call-${nth}-${place}`, isError, output });
    }),
  );
  const last = script.at(-1);
  const ending: ScriptedTurn = { steps: [], text: last?.asksNothing ? (last.text ?? '') : 'Done.' };
  return [...script, ending].map((one, nth): TurnRecord => {
    const { context, text = `turn ${nth}`, asksNothing = false } = one;
    const requested = asksNothing ? [] : (madeSteps[nth] ?? []);
    return {
      ...{ conversation, kind: 'main', number: nth + 1, model: 'some-model', text, stop: null },
      steps: madeSteps[nth - 1] ?? [],
      calls: requested.map(({ tool, signature, subject }) => ({
        ...{ tool, signature },
        ...(subject !== undefined && { subject }),
      })),
      contextTokens: context === undefined ? null : context * CONTEXT_MAX,
      contextTokensMax: context === undefined ? null : CONTEXT_MAX,
      outputTokens: null,
    };
  });
}

const pacePlan = (
  description: string,
  action: PacePlan['action'],
  trigger: PacePlan['trigger'],
): PacePlan => ({ description, action, trigger, escalateTo: null });

export const SPECIALIST: OrganizationRole = {
  id: 'builder',
  name: 'builder',
  type: 'specialist',
  reportsTo: null,
  domains: ['coding'],
  plans: {
    primary: pacePlan('build it', 'normal_execution', []),
    alternate: pacePlan('build a smaller part of it', 'fallback_chain', [
      [{ fact: 'failures', operator: '>=', limit: 3 }],
    ]),
    contingent: pacePlan('describe the design and ask for help', 'escalate', [
      [{ fact: 'failures', operator: '>=', limit: 5 }],
      [{ fact: 'context', operator: '>', limit: 0.85 }],
    ]),
    emergency: pacePlan('hand the work back', 'abort_and_report', [
      [{ fact: 'unrecoverable', operator: '>=', limit: 3 }],
      [{ fact: 'turns-without-progress', operator: '>', limit: 18 }],
    ]),
  },
  doctrine: {
    ...{ saluteIntervalTurns: 5, maxTurnsWithoutProgress: 12 },
    ...{ reportOnCompletion: true, reportOnFailure: true },
  },
};

export type WatchedScript = {
  /** `turn detector decision`. */
  readonly found: readonly string[];
  /** `turn text`. */
  readonly messages: readonly string[];
  readonly pausedAt: readonly number[];
  /** What the detectors see after the last turn. */
  readonly watched: Watched;
};

/** Watches a script as a running attempt would be watched. */
export function watchScript(
  script: readonly ScriptedTurn[] | readonly TurnRecord[],
  given: { readonly steering?: Partial<PinnedSteering>; readonly role?: OrganizationRole } = {},
): WatchedScript {
  const records = isRecords(script) ? script : recordsOf(script);
  const role = given.role ?? null;
  const pinned = { ...DEFAULT_STEERING, ...given.steering };
  const policy = choosePolicy(
    pinned,
    { model: 'some-model', role: role?.name ?? null },
    role?.doctrine,
  );
  const terms = { run: '0123456789', policy, role };
  let watch = NEW_WATCH;
  const found: string[] = [];
  const messages: string[] = [];
  const pausedAt: number[] = [];
  for (const record of records) {
    const next = watchTurn(watch, record, terms);
    watch = next.watch;
    const nth = watch.history.turn;
    for (const { anomaly, decision } of next.check?.found ?? [])
      found.push(`${nth} ${anomaly.detector} ${decision}`);
    if (next.check?.message != null) messages.push(`${nth} ${next.check.message}`);
    if (next.check?.pauses === true) pausedAt.push(nth);
  }
  const watched = { history: watch.history, thresholds: policy.thresholds, role };
  return { found, messages, pausedAt, watched };
}

function isRecords(
  script: readonly ScriptedTurn[] | readonly TurnRecord[],
): script is readonly TurnRecord[] {
  return script.every((one) => 'conversation' in one);
}

/** The names of the detectors that fired, each once. */
export function firedIn(script: readonly ScriptedTurn[]): readonly DetectorName[] {
  const names = watchScript(script).found.map((one) => one.split(' ')[1] as DetectorName);
  return [...new Set(names)];
}
