/** Long healthy work of each kind, as a model lets a real CLI do it. Nothing in it may be taken for an anomaly. */
import type { FaultRule } from '../../src/testing/model-server/model-faults.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
} from '../../src/testing/model-server/model-script.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import type { CliName } from './clis.ts';
import { shellCall } from './sandboxed-clis.ts';

/** The size of the context that the price table of these tests names. */
export const CONTEXT_MAX = 100_000;

export type HealthyWork = {
  readonly kind: string;
  readonly turns: number;
  /** The lines of shell of one turn, side by side. They begin with turn 1. */
  readonly lines: (turn: number) => readonly string[];
  /** From 0 to 1. */
  readonly context?: (turn: number) => number;
  readonly faults?: readonly FaultRule[];
  /** What a subagent is told to do in this turn. Only for a CLI that has the tool. */
  readonly subagents?: (turn: number) => readonly string[];
};

const failing = (count: number): string => `echo "${40 - count} passing, ${count} failing"; exit 1`;

export const HEALTHY_WORK: readonly HealthyWork[] = [
  {
    kind: 'a long build',
    turns: 30,
    lines: (turn) => [`echo "[${turn}/200] cc file${turn}.c"`],
  },
  {
    kind: 'a test that is fixed in twelve rounds',
    turns: 24,
    lines: (turn) => (turn % 2 === 0 ? [`echo "try ${turn}" >> src.ts`] : [failing(3)]),
  },
  {
    kind: 'a refactoring of thirty files',
    turns: 30,
    lines: (turn) => [`echo "part ${turn}" > part-${turn}.ts; cat part-${turn}.ts`],
  },
  {
    kind: 'a slow job that is polled',
    turns: 25,
    // Gemini CLI ends a run itself at the fifth equal call.
    lines: (turn) => [
      `: look ${turn}; sleep 0.02; echo "status: ${turn < 25 ? 'in_progress' : 'done'}"`,
    ],
  },
  {
    kind: 'two parts of the work side by side',
    turns: 15,
    lines: (turn) => [`cat README.md; echo a ${turn}`, `echo "b ${turn}" >> b.txt`],
    subagents: (turn) =>
      turn === 5 ? ['Look at the first half.', 'Look at the second half.'] : [],
  },
  {
    kind: 'a context that grows and is compacted',
    turns: 24,
    lines: (turn) => [`echo "part ${turn}" >> notes-${turn}.txt`],
    context: (turn) => 0.2 + (turn % 12) * 0.04,
  },
  {
    kind: 'requests that are retried',
    turns: 15,
    lines: (turn) => [`echo "part ${turn}" > part-${turn}.ts`],
    faults: [
      { fault: { kind: 'overloaded' }, at: { request: 4 } },
      { fault: { kind: 'server-error' }, at: { request: 9 } },
    ],
  },
];

export function worksWell(cli: CliName, work: HealthyWork): ScriptFunction {
  let turn = 0;
  const answers = new Map<number, ScriptedAnswer>();
  const next = (): ScriptedAnswer => {
    turn += 1;
    const share = work.context?.(turn) ?? 0.1;
    const usage = {
      inputTokens: Math.round(CONTEXT_MAX * share),
      outputTokens: 10,
      cachedTokens: 0,
    };
    if (turn > work.turns) return { text: 'All done.', usage };
    const shells = work.lines(turn).map((line) => shellCall(cli, line));
    const subs = cli === 'claude' ? (work.subagents?.(turn) ?? []).map(subagent) : [];
    return { text: `Part ${turn}.`, calls: [...shells, ...subs], usage };
  };
  return ({ kind, toolResults }) => {
    if (kind === 'sub')
      return toolResults < 3
        ? { calls: [shellCall(cli, `echo looked at ${toolResults}`)] }
        : { text: 'I have looked.' };
    if (kind !== 'main') return undefined;
    // A request that is retried gets the same answer.
    const known = answers.get(toolResults) ?? next();
    answers.set(toolResults, known);
    return known;
  };
}

function subagent(prompt: string): ToolCall {
  return { name: 'Task', args: { description: 'look', prompt, subagent_type: 'general-purpose' } };
}
