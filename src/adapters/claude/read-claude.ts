import type { OutputStream } from '../adapter.ts';
import type { AgentError, AgentEvent, AgentUsage } from '../agent-event.ts';
import { NOISE } from '../agent-event.ts';
import type { Fields } from '../json-fields.ts';
import {
  list,
  number,
  object,
  objectIn,
  text,
  toolResultEvent,
  toolUseEvent,
} from '../json-fields.ts';
import { readProviderError } from '../provider-error.ts';
import { isRecord } from '../../base/json.ts';

export function readClaude(line: string, stream: OutputStream): readonly AgentEvent[] {
  const event = stream === 'stdout' ? objectIn(line) : undefined;
  if (event === undefined) return NOISE;
  switch (event['type']) {
    case 'system':
      return readSystem(event);
    case 'assistant':
      return readAssistant(event);
    case 'user':
      return list(object(event, 'message'), 'content').flatMap((block) =>
        block['type'] === 'tool_result'
          ? toolResultEvent(
              text(block, 'tool_use_id'),
              block['is_error'] === true,
              block['content'],
            )
          : [],
      );
    case 'rate_limit_event':
      return readLimit(object(event, 'rate_limit_info'));
    case 'result':
      return readResult(event);
    default:
      return NOISE;
  }
}

function readSystem(event: Fields): readonly AgentEvent[] {
  if (event['subtype'] === 'init') {
    const id = text(event, 'session_id');
    return id === undefined ? NOISE : [{ kind: 'session', id }];
  }
  if (event['subtype'] !== 'api_retry') return NOISE;
  const status = number(event, 'error_status') ?? null;
  const code = text(event, 'error') ?? null;
  const message =
    status === null ? 'no answer from the provider' : `the provider answered ${status}`;
  return [{ kind: 'retrying', error: readProviderError(message, { status, code }) }];
}

function readAssistant(event: Fields): readonly AgentEvent[] {
  const isSub = typeof event['parent_tool_use_id'] === 'string';
  const blocks = list(object(event, 'message'), 'content');
  const code = text(event, 'error');
  if (code !== undefined) {
    // This text is not from the model: the CLI reports an error as a message of the model.
    const message = blocks.map((block) => text(block, 'text') ?? '').join('\n');
    return isSub
      ? NOISE
      : [{ kind: 'failed', error: readProviderError(message, { code }), final: false }];
  }
  return blocks.flatMap((block): readonly AgentEvent[] => {
    const content = text(block, 'text');
    if (block['type'] === 'text' && content !== undefined && !isSub)
      return [{ kind: 'said', text: content }];
    if (block['type'] !== 'tool_use') return [];
    const tool = text(block, 'name') ?? '';
    const used = toolUseEvent(tool, text(block, 'id') ?? null, block['input']);
    return tool === 'AskUserQuestion' ? [used, { kind: 'asked', question: used.args }] : [used];
  });
}

/** Sent to subscribers with every answer. It counts only when the limit applies. */
function readLimit(info: Fields): readonly AgentEvent[] {
  const resetsAtS = number(info, 'resetsAt');
  if (info['status'] !== 'rejected' || resetsAtS === undefined) return NOISE;
  return [{ kind: 'limit', resetAt: resetsAtS * 1000 }];
}

/** `usage` covers only the main conversation. The sums by model also include subagents. */
function readUsage(event: Fields): Omit<AgentUsage, 'costUsd'> {
  const models = Object.values(object(event, 'modelUsage')).filter(isRecord);
  const [counts, names] =
    models.length === 0 ? [[object(event, 'usage')], PLAIN] : [models, BY_MODEL];
  const sum = (name: string): number =>
    counts.reduce((all, one) => all + (number(one, name) ?? 0), 0);
  const cachedTokens = sum(names.cached);
  return {
    inputTokens: sum(names.input) + cachedTokens + sum(names.written),
    outputTokens: sum(names.output),
    cachedTokens,
  };
}

const PLAIN = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_input_tokens',
  written: 'cache_creation_input_tokens',
};
const BY_MODEL = {
  input: 'inputTokens',
  output: 'outputTokens',
  cached: 'cacheReadInputTokens',
  written: 'cacheCreationInputTokens',
};

function readResult(event: Fields): readonly AgentEvent[] {
  const usage: AgentEvent = {
    kind: 'usage',
    whole: true,
    usage: { ...readUsage(event), costUsd: number(event, 'total_cost_usd') ?? null },
  };
  const denied = list(event, 'permission_denials').map((one) => text(one, 'tool_name') ?? 'a tool');
  const questions: readonly AgentEvent[] =
    denied.length === 0
      ? []
      : [{ kind: 'asked', question: `May it use ${[...new Set(denied)].join(', ')}?` }];
  // `subtype` can be "success" for failures too.
  if (event['is_error'] === true || (text(event, 'subtype') ?? 'success') !== 'success')
    return [usage, ...questions, { kind: 'failed', error: resultError(event), final: true }];
  return [usage, ...questions, { kind: 'concluded', summary: text(event, 'result') ?? '' }];
}

function resultError(event: Fields): AgentError {
  const errors = event['errors'];
  const messages = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string') : [];
  const codes = [text(event, 'subtype'), text(event, 'terminal_reason')].filter(
    (word) => word !== undefined && word !== 'success' && word !== 'completed',
  );
  return readProviderError([text(event, 'result') ?? '', ...messages].join('\n').trim(), {
    status: number(event, 'api_error_status') ?? null,
    code: codes.length === 0 ? null : codes.join(' '),
  });
}
