import type { OutputStream } from '../adapter.ts';
import type { AgentEvent } from '../agent-event.ts';
import { NOISE } from '../agent-event.ts';
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
import { readProviderError } from '../provider-error.ts';

export function readGemini(line: string, stream: OutputStream): readonly AgentEvent[] {
  if (stream === 'stderr') return readLog(line);
  const event = objectIn(line);
  switch (event?.['type']) {
    case 'init': {
      const id = text(event, 'session_id');
      return id === undefined ? NOISE : [{ kind: 'session', id }];
    }
    case 'message': {
      const content = text(event, 'content');
      if (event['role'] !== 'assistant' || content === undefined) return NOISE;
      return [{ kind: 'said', text: content }];
    }
    case 'tool_use':
      return [
        toolUseEvent(
          text(event, 'tool_name') ?? '',
          text(event, 'tool_id') ?? null,
          event['parameters'],
        ),
      ];
    case 'tool_result':
      return [
        toolResultEvent(
          text(event, 'tool_id'),
          // A failed command is a success here; only its text shows the failure.
          event['status'] === 'error' ||
            /^Command exited with code: (?!0\b)\d+$/m.test(text(event, 'output') ?? ''),
          event['output'],
        ),
      ];
    case 'error':
      if (event['severity'] !== 'error') return NOISE;
      return [
        {
          kind: 'failed',
          error: readProviderError(text(event, 'message') ?? '', {
            at: instant(event, 'timestamp'),
          }),
          final: false,
        },
      ];
    case 'result':
      return readResult(event);
    default:
      return NOISE;
  }
}

function readResult(event: Fields): readonly AgentEvent[] {
  const stats = object(event, 'stats');
  const usage: AgentEvent = {
    kind: 'usage',
    whole: true,
    usage: {
      inputTokens: number(stats, 'input_tokens') ?? 0,
      outputTokens: number(stats, 'output_tokens') ?? 0,
      cachedTokens: number(stats, 'cached') ?? 0,
      costUsd: null,
    },
  };
  if (event['status'] === 'success') return [usage, { kind: 'concluded', summary: '' }];
  const error = object(event, 'error');
  const type = text(error, 'type');
  const known = {
    at: instant(event, 'timestamp'),
    code: type === undefined || type === 'unknown' ? null : type,
  };
  return [
    usage,
    { kind: 'failed', error: readProviderError(text(error, 'message') ?? '', known), final: true },
  ];
}

/** It reports its retries only here. */
function readLog(line: string): readonly AgentEvent[] {
  const [, status, why] =
    /^Attempt \d+ failed(?: with status (\d{3}))?[.:] ?(.*)$/.exec(line) ?? [];
  if (why === undefined || why.endsWith('Max attempts reached')) return NOISE;
  const message = why.replace(/^Retrying with backoff\.\.\. /, '');
  return [
    {
      kind: 'retrying',
      error: readProviderError(message, status === undefined ? {} : { status: Number(status) }),
    },
  ];
}
