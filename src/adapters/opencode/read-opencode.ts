import type { OutputStream } from '../adapter.ts';
import type { AgentEvent } from '../agent-event.ts';
import { agentError, NOISE } from '../agent-event.ts';
import type { Fields } from '../json-fields.ts';
import {
  instant,
  number,
  object,
  objectIn,
  text,
  toolResultEvent,
  toolUseEvent,
} from '../json-fields.ts';
import { readProviderError, readRetryAfter } from '../provider-error.ts';

export function readOpencode(line: string, stream: OutputStream): readonly AgentEvent[] {
  const event = stream === 'stdout' ? objectIn(line) : undefined;
  if (event === undefined) return NOISE;
  const part = object(event, 'part');
  switch (event['type']) {
    case 'step_start': {
      const id = text(event, 'sessionID');
      return id === undefined ? NOISE : [{ kind: 'session', id }];
    }
    case 'text': {
      const content = text(part, 'text');
      return content === undefined ? NOISE : [{ kind: 'said', text: content }];
    }
    case 'tool_use':
      return readTool(part);
    case 'step_finish':
      return readStep(event, part);
    case 'error':
      return [{ kind: 'failed', error: readError(event), final: false }];
    default:
      return NOISE;
  }
}

/** Reported when the tool has ended. */
function readTool(part: Fields): readonly AgentEvent[] {
  const state = object(part, 'state');
  const id = text(part, 'callID');
  const tool = text(part, 'tool') ?? '';
  const exit = number(object(state, 'metadata'), 'exit') ?? 0;
  return [
    toolUseEvent(tool, id ?? null, state['input']),
    // A failed command is a success here, and so is a tool that does not exist.
    toolResultEvent(
      id,
      state['status'] === 'error' || exit !== 0 || tool === 'invalid',
      state['output'] ?? state['error'],
    ),
  ];
}

function readStep(event: Fields, part: Fields): readonly AgentEvent[] {
  const tokens = object(part, 'tokens');
  const cached = number(object(tokens, 'cache'), 'read') ?? 0;
  const usage: AgentEvent = {
    kind: 'usage',
    whole: false,
    usage: {
      inputTokens: (number(tokens, 'input') ?? 0) + cached,
      outputTokens: number(tokens, 'output') ?? 0,
      cachedTokens: cached,
      costUsd: number(part, 'cost') || null, // it has no prices for a model behind a gateway, and reports 0
    },
  };
  const at = instant(event, 'timestamp');
  switch (part['reason']) {
    case 'stop':
    case 'length':
      return [usage, { kind: 'concluded', summary: '' }];
    case 'unknown':
    case 'other':
      // It treats a stream without an end like any other step, and retries without a limit.
      return [
        usage,
        {
          kind: 'retrying',
          error: agentError('the stream ended without a finish reason', { at, code: 'no-answer' }),
        },
      ];
    default:
      return [usage];
  }
}

function readError(event: Fields): ReturnType<typeof readProviderError> {
  const error = object(event, 'error');
  const data = object(error, 'data');
  const at = instant(event, 'timestamp');
  const quoted = readProviderError(text(data, 'responseBody') ?? '');
  const own = readProviderError(text(data, 'message') ?? text(error, 'message') ?? '');
  const name = text(error, 'name');
  const codes = [
    name === 'APIError' || name === 'UnknownError' ? undefined : name,
    text(object(data, 'metadata'), 'code'),
    own.code ?? undefined,
    quoted.code ?? undefined,
  ].filter((code) => code !== undefined);
  const known = {
    retryAfterMs: quoted.retryAfterMs,
    resetAt: quoted.resetAt,
    ...readRetryAfter(object(data, 'responseHeaders')),
  };
  return agentError(own.message, {
    ...known,
    at,
    status: number(data, 'statusCode') ?? own.status ?? quoted.status,
    code: codes.length === 0 ? null : [...new Set(codes)].join(' '),
  });
}
