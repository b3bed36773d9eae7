import type { Json } from '../../base/json.ts';
import { text } from './request-shape.ts';
import type {
  ModelRequest,
  Reply,
  Stop,
  ToolCall,
  MessageUnit,
  Usage,
  WireName,
} from './model-wire.ts';
import type { CallKind } from '../../gateway/calls/classify-call.ts';

/**
 * The model's answer at one step. An agent treats an answer without calls as the end of its turn.
 */
export type ScriptedAnswer = {
  /** Thoughts before the answer, on the wires that show them (all but OpenAI Chat). */
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  /** A missing number is computed from the size of the request and the answer. */
  readonly usage?: Partial<Usage>;
  readonly stop?: Stop;
  /** Further headers, such as the rate limits that providers report with good answers too. */
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * A conversation as data. The step is the number of tool results that came back, never the number
 * of requests: so a retry gets the same answer again, and a title or a router costs no step.
 */
export type Script = {
  /**
   * Plays this script in conversations where a prompt contains this text, counting only the tool
   * results after it: one script for each prompt of a resumed conversation, one for each subagent.
   */
  readonly when?: string;
  readonly steps: readonly ScriptedAnswer[];
  /**
   * What follows the last step: an end in plain words, or that step for ever (an agent that loops).
   */
  readonly after?: 'stop' | 'repeat';
};

/** The input of a script that is a function. */
export type View = ModelRequest & {
  readonly wire: WireName;
  readonly kind: CallKind;
  readonly conversation: string;
  readonly toolResults: number;
  /** The whole request. Unlike `units`, it has the texts of a CLI's hooks too. */
  readonly body: unknown;
};

/** Undefined: an end in plain words is sent. */
export type ScriptFunction = (view: View) => ScriptedAnswer | undefined;

export type Cue = { readonly step: number; readonly answer: ScriptedAnswer };

const THE_END: ScriptedAnswer = { text: 'Done.' };

/** Distinct results: a client that repeats one has made no progress. */
export function countResults(units: readonly MessageUnit[]): number {
  const results = units.filter((unit) => unit.kind === 'result');
  const named = new Set(results.map(({ id }) => id).filter((id) => id !== ''));
  return named.size + results.filter(({ id }) => id === '').length;
}

/** The script of this conversation and the units that count for it. */
function choose(
  scripts: readonly Script[],
  units: readonly MessageUnit[],
): { readonly script: Script; readonly units: readonly MessageUnit[] } | undefined {
  for (const script of scripts) {
    const { when } = script;
    if (when === undefined) return { script, units };
    const at = units.findLastIndex((unit) => unit.kind === 'prompt' && unit.text.includes(when));
    if (at !== -1) return { script, units: units.slice(at + 1) };
  }
  return undefined;
}

/** The current answer. Pure: the same conversation is at the same step. */
export function cueFor(scripts: readonly Script[], units: readonly MessageUnit[]): Cue {
  const chosen = choose(scripts, units);
  if (chosen === undefined) return { step: 0, answer: THE_END };
  const { steps, after } = chosen.script;
  const results = countResults(chosen.units);
  let count = 0;
  for (const [step, answer] of steps.entries()) {
    if (results <= count) return { step, answer };
    count += answer.calls?.length ?? 0;
  }
  const last = after === 'repeat' ? steps.at(-1) : undefined;
  return { step: steps.length, answer: last ?? THE_END };
}

/** Fills in what the answer leaves open. `nextId` gives each call an id. */
export function replyTo(
  answer: ScriptedAnswer,
  request: { readonly model: string; readonly bytes: number },
  now: number,
  nextId: () => string,
): Reply {
  const { thought = '', text: words = '', calls = [], usage, stop } = answer;
  const chars = words.length + JSON.stringify(calls).length;
  return {
    id: nextId(),
    model: request.model,
    createdS: Math.floor(now / 1000),
    thought,
    text: words,
    calls: calls.map((call) => ({ ...call, id: nextId() })),
    usage: {
      inputTokens: Math.ceil(request.bytes / 4),
      outputTokens: Math.ceil(chars / 4),
      cachedTokens: 0,
      reasoningTokens: Math.ceil(thought.length / 4),
      ...usage,
    },
    stop: stop ?? (calls.length > 0 ? 'tools' : 'end'),
  };
}

/** The smallest value that a JSON schema allows: the answer to a side call that requires JSON. */
export function buildSample(schema: unknown, depth = 0): Json {
  if (typeof schema !== 'object' || schema === null || depth > 8) return null;
  const known = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(known['enum'])) return (known['enum'][0] ?? null) as Json;
  switch (text(known['type']).toLowerCase()) {
    case 'object': {
      const properties = Object.entries((known['properties'] ?? {}) as Record<string, unknown>);
      return Object.fromEntries(properties.map(([key, of]) => [key, buildSample(of, depth + 1)]));
    }
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'string':
      return 'text';
    default:
      return null;
  }
}
