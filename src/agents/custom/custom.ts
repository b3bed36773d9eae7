/** Any other program, started by the command line that a user wrote and read by the paths that they gave. */
import type { AgentAdapter, Brief, CustomOutput, Invocation, NoInvocation } from '../adapter.ts';
import { describeExit, diedWith, failedBy, isZero } from '../conclude.ts';
import type { AgentEvent } from '../event.ts';
import { NOISE } from '../event.ts';
import type { Fields } from '../fields.ts';
import { follow, number, objectIn } from '../fields.ts';
import { errorFrom } from '../provider-error.ts';
import { isRecord } from '../../base/json.ts';

/** An argument that is longer can't be given to a process. */
const ARGUMENT_BYTES_MAX = 120_000;

/** One for each agent of this kind, since each speaks in its own way. */
export function custom(output: CustomOutput): AgentAdapter {
  const isText = output.format === 'text';
  return {
    cli: 'custom',
    structured: false,
    command,
    read(line, stream) {
      if (stream === 'stderr') return NOISE;
      if (isText) return line.trim() === '' ? NOISE : [{ kind: 'said', text: `${line}\n` }];
      const value = objectIn(line);
      return value === undefined ? NOISE : readValue(value, output);
    },
    conclude(exit, story) {
      if (story.failed !== null) return failedBy(story.failed.error);
      if (isZero(exit)) return { kind: 'done', summary: story.concluded ?? story.lastWords.trim() };
      return exit.kind === 'code'
        ? { kind: 'died', message: describeExit(exit) }
        : diedWith(exit, story);
    },
  };
}

/** As the common clients call them. */
const USAGE_NAMES = {
  input: [
    'input_tokens',
    'inputTokens',
    'prompt_tokens',
    'promptTokens',
    'promptTokenCount',
    'input',
  ],
  output: [
    ...['output_tokens', 'outputTokens', 'completion_tokens', 'completionTokens'],
    ...['candidatesTokenCount', 'output'],
  ],
  cached: [
    ...['cached_tokens', 'cachedTokens', 'cache_read_input_tokens', 'cachedInputTokens'],
    ...['cached_input_tokens', 'cachedContentTokenCount', 'cached'],
  ],
  cost: ['cost_usd', 'costUsd', 'total_cost_usd', 'totalCostUsd', 'costUSD', 'cost'],
} as const;

function firstOf(fields: Fields, names: readonly string[]): number | undefined {
  return names.map((name) => number(fields, name)).find((value) => value !== undefined);
}

function readValue(value: Fields, output: CustomOutput): readonly AgentEvent[] {
  const at = (path: string | null | undefined): unknown => (path ? follow(value, path) : undefined);
  const [result, session, error, usage] = [
    at(output.result),
    at(output.session),
    at(output.error),
    at(output.usage),
  ];
  const events: AgentEvent[] = [];
  if (typeof session === 'string') events.push({ kind: 'session', id: session });
  if (isRecord(usage))
    events.push({
      kind: 'usage',
      whole: true,
      usage: {
        inputTokens: firstOf(usage, USAGE_NAMES.input) ?? 0,
        outputTokens: firstOf(usage, USAGE_NAMES.output) ?? 0,
        cachedTokens: firstOf(usage, USAGE_NAMES.cached) ?? 0,
        costUsd: firstOf(usage, USAGE_NAMES.cost) ?? null,
      },
    });
  if (typeof error === 'string' && error !== '')
    events.push({ kind: 'failed', error: errorFrom(error), final: true });
  else if (isRecord(error))
    events.push({ kind: 'failed', error: errorFrom(JSON.stringify(error)), final: true });
  else if (typeof result === 'string') events.push({ kind: 'concluded', summary: result });
  return events.length === 0 ? NOISE : events;
}

function command({
  agent,
  prompt,
  promptFile,
  workspace,
  gateway,
  allowedTools,
}: Brief): Invocation | NoInvocation {
  if (allowedTools !== null)
    return {
      kind: 'refused',
      why: 'can not be limited to some tools: it is not known which it has',
    };
  const written = [...(agent.command ?? []), ...agent.args];
  const values: Readonly<Record<string, string>> = {
    '{prompt}': prompt,
    '{prompt_file}': promptFile,
    '{workspace}': workspace,
    '{model}': agent.model ?? '',
  };
  const uses = (name: string): boolean => written.some((part) => part.includes(name));
  if (uses('{prompt}') && Buffer.byteLength(prompt) > ARGUMENT_BYTES_MAX)
    return {
      kind: 'refused',
      why: 'can not take so long a prompt as an argument: write {prompt_file}',
    };
  // One pass, so that what a prompt contains is never taken for a placeholder.
  const argv = written.map((part) =>
    part.replaceAll(/\{(?:prompt|prompt_file|workspace|model)\}/g, (name) => values[name] ?? name),
  );
  const [program, ...rest] = argv;
  if (program === undefined) return { kind: 'refused', why: 'has no command' };
  return {
    kind: 'run',
    argv: [program, ...rest],
    env:
      gateway === null
        ? {}
        : {
            ANTHROPIC_BASE_URL: gateway.baseUrl,
            ANTHROPIC_API_KEY: gateway.token,
            OPENAI_BASE_URL: `${gateway.baseUrl}/v1`,
            OPENAI_API_KEY: gateway.token,
            GOOGLE_GEMINI_BASE_URL: gateway.baseUrl,
            GEMINI_API_KEY: gateway.token,
          },
    stdin: uses('{prompt}') || uses('{prompt_file}') ? '' : prompt,
    files: {},
    wantsPromptFile: uses('{prompt_file}'),
    askSignal: 'SIGTERM',
  };
}
