import type { OutputStream } from '../adapter.ts';
import type { AgentEvent } from '../agent-event.ts';
import { NOISE } from '../agent-event.ts';
import type { Fields } from '../json-fields.ts';
import { number, object, objectIn, text, toolResultEvent, toolUseEvent } from '../json-fields.ts';
import { readProviderError } from '../provider-error.ts';

export function readCodex(line: string, stream: OutputStream): readonly AgentEvent[] {
  if (stream === 'stderr') return readLog(line);
  const event = objectIn(line);
  switch (event?.['type']) {
    case 'thread.started': {
      const id = text(event, 'thread_id');
      return id === undefined ? NOISE : [{ kind: 'session', id }];
    }
    case 'item.started':
      return readStarted(object(event, 'item'));
    case 'item.completed':
      return readCompleted(object(event, 'item'));
    case 'turn.completed':
      return [readUsage(object(event, 'usage')), { kind: 'concluded', summary: '' }];
    case 'turn.failed':
      return [
        {
          kind: 'failed',
          error: readProviderError(text(object(event, 'error'), 'message') ?? ''),
          final: true,
        },
      ];
    case 'error':
      return readError(text(event, 'message') ?? '');
    default:
      return NOISE;
  }
}

/** This event alone is not an end: it also reports retries and unknown models. */
function readError(message: string): readonly AgentEvent[] {
  const [, why] =
    /^Reconnecting\.\.\. (?:\d+\/\d+|waiting for network) \((.*)\)$/s.exec(message) ?? [];
  if (why !== undefined) return [{ kind: 'retrying', error: readProviderError(why) }];
  return [{ kind: 'failed', error: readProviderError(message), final: false }];
}

function readStarted(item: Fields): readonly AgentEvent[] {
  const id = text(item, 'id') ?? null;
  switch (item['type']) {
    case 'command_execution':
      return [toolUseEvent('shell', id, item['command'])];
    case 'file_change':
      return [toolUseEvent('apply_patch', id, item['changes'])];
    case 'mcp_tool_call':
      return [toolUseEvent(text(item, 'tool') ?? 'mcp', id, item['arguments'])];
    case 'web_search':
      return [toolUseEvent('web_search', id, item['query'])];
    default:
      return NOISE;
  }
}

const TOOLS = new Set(['command_execution', 'file_change', 'mcp_tool_call', 'web_search']);

function readCompleted(item: Fields): readonly AgentEvent[] {
  const type = text(item, 'type') ?? '';
  if (type === 'agent_message')
    return [{ kind: 'said', text: text(item, 'text') ?? '', whole: true }];
  if (!TOOLS.has(type)) return NOISE;
  const isError = item['status'] === 'failed' || (number(item, 'exit_code') ?? 0) !== 0;
  const output = item['aggregated_output'] ?? object(item, 'result')['content'];
  return [toolResultEvent(text(item, 'id'), isError, output)];
}

function readUsage(counts: Fields): AgentEvent {
  return {
    kind: 'usage',
    whole: false,
    usage: {
      inputTokens: number(counts, 'input_tokens') ?? 0,
      outputTokens: number(counts, 'output_tokens') ?? 0,
      cachedTokens: number(counts, 'cached_input_tokens') ?? 0,
      costUsd: null,
    },
  };
}

/** Only the log reports a patch that fails and a tool that does not exist. */
function readLog(line: string): readonly AgentEvent[] {
  const isToolError = /^\S+ +ERROR codex_core::tools::router: error=/.test(line);
  return isToolError ? [{ kind: 'tool-result', id: null, isError: true }] : NOISE;
}
