/** A model that goes wrong in one way after another, and does what it is told each time. */
import type { DetectorName } from '../../src/protocol/contracts/steering-contract.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
} from '../../src/testing/model-server/model-script.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import type { CliName } from './clis.ts';
import { SIGNALS } from '../support/tool-agent.ts';
import { shellCall } from './sandboxed-clis.ts';

/** One way to go wrong. */
export type Trouble = {
  readonly detector: DetectorName;
  /** The words of the message that the model obeys. */
  readonly says: string;
  /** The trouble is found in the turn in which so many calls have ended, and in no earlier one. */
  readonly calls: (cli: CliName) => number;
  readonly call: (cli: CliName, nth: number) => ToolCall;
  /** What the model says meanwhile. Absent: which try it is. */
  readonly text?: string;
  /** From 0 to 1. */
  readonly context?: number;
};

/** The size of the context that the price table of these tests names. */
export const CONTEXT_MAX = 100_000;
/** A model that is never told gives up. */
const CALLS_MAX = 30;

/** The shell of opencode does not say with which code a command has ended. */
const fails = (cli: CliName, command: string): ToolCall =>
  cli === 'opencode'
    ? { name: 'read', args: { filePath: `/nowhere/${command}` } }
    : shellCall(cli, `: ${command}; echo broken >&2; exit 7`);

/** Each is another file. For opencode it is an edit: a file that is not there is no trouble for a tool that only looks. */
const failsAt = (cli: CliName, nth: number, command: string): ToolCall =>
  cli === 'opencode'
    ? {
        name: 'edit',
        args: { filePath: `/nowhere/${nth}.ts`, oldString: 'a', newString: 'b' },
      }
    : shellCall(cli, command);

export const LOOP: Trouble = {
  detector: 'loop',
  says: 'The same call failed',
  calls: () => 3,
  call: (cli) => fails(cli, 'make all'),
};

export const OSCILLATION: Trouble = {
  detector: 'oscillation',
  says: 'Two calls fail in turn',
  calls: () => 4,
  call: (cli, nth) => fails(cli, nth % 2 === 0 ? 'configure' : 'install'),
};

export const CASCADE: Trouble = {
  detector: 'cascade',
  says: 'different tools failed one after another',
  calls: () => 3,
  call: (cli, nth) => brokenCalls(cli)[nth % 3] ?? fails(cli, 'it'),
};

const KINDS = ['permission denied', 'syntax error', 'no such file'];

/** Claude Code ends each result with other words of its own. Gemini CLI ends a run at the fifth equal call. */
export const STAGNATION: Trouble = {
  detector: 'stagnation',
  says: 'gave the same output',
  calls: () => 6,
  call: (cli, nth) => shellCall(cli, nth % 2 === 0 ? 'echo one thing' : 'echo another thing'),
};

/** Different errors, so that nothing repeats itself; or, where errors can't be seen, the same three results again. */
export const STALL: Trouble = {
  detector: 'stall',
  says: 'There was no progress for',
  // A first result is news. All others are failures, or known.
  calls: (cli) => (cli === 'opencode' ? 16 : 13),
  call: (cli, nth) =>
    shellCall(
      cli,
      cli === 'opencode'
        ? `echo ${['one', 'two', 'three'][nth % 3] ?? ''}`
        : `: try ${nth}; echo ${KINDS[nth % KINDS.length]} >&2; exit 7`,
    ),
};

/** Another place each time, so that no call repeats itself. */
export const TOOL_ADVICE: Trouble = {
  detector: 'tool-advice',
  says: 'failed 3 times in a row (not-found)',
  calls: () => 3,
  call: (cli, nth) => failsAt(cli, nth, `echo ${nth}.ts: not found >&2; exit 7`),
};

/** `loop` has spoken before, so that it is quiet at the third failure. */
export const FALSE_RECOVERY: Trouble = {
  detector: 'false-recovery',
  says: 'A failure came back right after it seemed to be solved',
  calls: () => 5,
  call: (cli, nth) => (nth === 3 ? shellCall(cli, 'echo it works') : fails(cli, 'make docs')),
};

/** It says that it is done, and looks at the same thing again. The first look is news. */
export const COMPLETION_STALL: Trouble = {
  detector: 'completion-stall',
  says: 'You say that you are done, and the last 3 turns brought nothing new',
  calls: () => 4,
  call: (cli) => shellCall(cli, 'echo the result'),
  text: 'I am done.',
};

/** Five failures are the contingent level of the role. */
export const CONTINGENT: Trouble = {
  detector: 'pace-contingent',
  says: 'is at its contingent level: describe the design and ask for help',
  calls: () => 5,
  call: (cli, nth) => failsAt(cli, nth, `: plan ${nth}; echo broken >&2; exit 7`),
};

/** The level has changed before, and now little room is left. */
export const FLAPPING: Trouble = {
  detector: 'pace-flapping',
  says: 'and the context is 80 % full.',
  calls: () => 0,
  call: (cli, nth) => shellCall(cli, `echo ${nth} >> flapping.txt`),
  context: 0.8,
};

/** The work continues, but little room is left. `quietTurns`: the detector spoke shortly before. */
export function fullContext(share: number, quietTurns: number): Trouble {
  return {
    detector: 'context',
    says: `The context is ${Math.round(share * 100)} % full.`,
    calls: () => quietTurns,
    call: (cli, nth) => shellCall(cli, `echo ${nth} >> work-at-${share}.txt`),
    context: share,
  };
}

/** Three tools that fail for any model. */
function brokenCalls(cli: CliName): readonly ToolCall[] {
  const shell = cli === 'opencode' ? shellCall(cli, 'not-a-program') : fails(cli, 'broken');
  switch (cli) {
    case 'claude':
      return [
        shell,
        { name: 'Read', args: { file_path: '/nowhere/a' } },
        { name: 'Edit', args: { file_path: '/nowhere/b', old_string: 'a', new_string: 'b' } },
      ];
    case 'codex':
      return [
        shell,
        { name: 'view_image', args: { path: '/nowhere/a.png' } },
        { name: 'update_plan', args: { plan: 'none' } },
      ];
    case 'gemini':
      return [
        shell,
        { name: 'read_file', args: { file_path: 'nowhere.txt' } },
        {
          name: 'replace',
          args: { file_path: 'nowhere.txt', instruction: 'x', old_string: 'a', new_string: 'b' },
        },
      ];
    case 'copilot':
      return [
        shell,
        { name: 'view', args: { path: '/nowhere/a' } },
        { name: 'edit', args: { path: '/nowhere/b', old_str: 'a', new_str: 'b' } },
      ];
    case 'opencode':
      return [
        shell,
        { name: 'read', args: { filePath: '/nowhere/a' } },
        { name: 'edit', args: { filePath: '/nowhere/b', oldString: 'a', newString: 'b' } },
      ];
  }
}

/**
 * Waits until the message about this turn is sent, so that the next request has it on a busy machine too. It gives up
 * after a minute. Codex CLI would let the command run on after ten seconds, and Gemini CLI refuses `$(…)`.
 */
export function heldCall(cli: CliName, turn: number): ToolCall {
  const { name, args } = shellCall(
    cli,
    `timeout 60 sh -c 'until [ -e ${SIGNALS}/go-${turn} ]; do sleep 0.1; done'; echo waited ${turn}; exit 7`,
  );
  return { name, args: { ...(args as object), ...(cli === 'codex' && { yield_time_ms: 70_000 }) } };
}

/** When it was told about one trouble, it changes a file and comes to the next one. */
export function goesWrong(cli: CliName, troubles: readonly Trouble[]): ScriptFunction {
  const answers = new Map<number, ScriptedAnswer>();
  let place = 0;
  let nth = 0;
  // A context that shrinks would look like a compaction.
  let tokens = CONTEXT_MAX * 0.2;
  const next = (results: number, read: string): ScriptedAnswer => {
    const turn = results + 1;
    const trouble = troubles[place];
    if (trouble?.context !== undefined) tokens = CONTEXT_MAX * trouble.context;
    const usage = { inputTokens: tokens, outputTokens: 10, cachedTokens: 0 };
    if (trouble === undefined) return { text: 'All done.', usage };
    if (nth > CALLS_MAX) return { text: `Never told about ${trouble.detector}.` };
    if (read.includes(trouble.says)) {
      place += 1;
      nth = 0;
      const line = `echo ${trouble.detector} ${turn} >> obeyed.txt`;
      return { text: `I stop, for ${trouble.detector}.`, calls: [shellCall(cli, line)], usage };
    }
    nth += 1;
    const isShown = nth > trouble.calls(cli);
    return {
      text: trouble.text ?? `Try ${nth} of ${trouble.detector}.`,
      calls: [isShown ? heldCall(cli, turn) : trouble.call(cli, nth - 1)],
      usage,
    };
  };
  return ({ kind, toolResults, body }) => {
    if (kind !== 'main') return undefined;
    // A request that is retried gets the same answer.
    const known = answers.get(toolResults) ?? next(toolResults, JSON.stringify(body));
    answers.set(toolResults, known);
    return known;
  };
}
