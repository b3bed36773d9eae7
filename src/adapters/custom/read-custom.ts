/** Reads the output of a custom program by the paths and names that the user configured. */
import type { AgentEvent, AgentUsage } from '../agent-event.ts';
import type { Fields } from '../json-fields.ts';
import { foldTranscriptEvents } from '../json-fields.ts';
import { readProviderError } from '../provider-error.ts';
import { isRecord } from '../../base/json.ts';
import type { CustomOutput } from '../../protocol/pinned-settings.ts';

/** The names that common clients use. */
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

export function readValue(value: Fields, output: CustomOutput): readonly AgentEvent[] {
  const at = (path: string | null | undefined): unknown =>
    path ? foldTranscriptEvents(value, path) : undefined;
  const [result, session, error] = [at(output.result), at(output.session), at(output.error)];
  const events: AgentEvent[] = [];
  if (typeof session === 'string' && isSessionId(session))
    events.push({ kind: 'session', id: session });
  const usage = usageIn(at(output.usage), output.usageFields ?? {});
  if (usage !== undefined) events.push({ kind: 'usage', whole: true, usage });
  if (typeof error === 'string' && error !== '')
    events.push({ kind: 'failed', error: readProviderError(error), final: true });
  else if (isRecord(error))
    events.push({ kind: 'failed', error: readProviderError(JSON.stringify(error)), final: true });
  else if (typeof result === 'string') events.push({ kind: 'concluded', summary: result });
  return events;
}

/** Undefined if no number has a known name: an unknown count is not 0. */
function usageIn(
  usage: unknown,
  declared: NonNullable<CustomOutput['usageFields']>,
): AgentUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const amount = (name: keyof typeof USAGE_NAMES): number | undefined => {
    const own = declared[name];
    const paths = own === undefined ? USAGE_NAMES[name] : [own];
    return paths
      .map((path) => foldTranscriptEvents(usage, path))
      .find(
        (value): value is number =>
          typeof value === 'number' && Number.isFinite(value) && value >= 0,
      );
  };
  const [input, output, cached, cost] = [
    amount('input'),
    amount('output'),
    amount('cached'),
    amount('cost'),
  ];
  if (input === undefined && output === undefined && cost === undefined) return undefined;
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedTokens: cached ?? 0,
    costUsd: cost ?? null,
  };
}

/** The id becomes an argument of a command, so it must not look like an option. */
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]{0,199}$/;

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** The id in a line with the configured text around it. Undefined in any other line. */
export function findSessionId(line: string, sessionLine: string): string | undefined {
  const [before = '', after = ''] = sessionLine.split('{session}');
  const start = line.indexOf(before);
  if (start === -1) return undefined;
  const rest = line.slice(start + before.length, start + before.length + 1000);
  // A sentence ends with a dot, and an id does not.
  const [id = ''] = /^[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]*(?<![.:])/.exec(rest) ?? [];
  if (!isSessionId(id) || !rest.slice(id.length).startsWith(after)) return undefined;
  return id;
}
