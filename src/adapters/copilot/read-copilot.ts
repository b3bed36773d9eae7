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

export function readCopilot(line: string, stream: OutputStream): readonly AgentEvent[] {
  const event = stream === 'stdout' ? objectIn(line) : undefined;
  if (event === undefined) return NOISE;
  const data = object(event, 'data');
  switch (event['type']) {
    case 'session.start': {
      const id = text(data, 'sessionId');
      return id === undefined ? NOISE : [{ kind: 'session', id }];
    }
    case 'assistant.message': {
      const content = text(data, 'content');
      return content === undefined ? NOISE : [{ kind: 'said', text: content }];
    }
    case 'tool.execution_start':
      return [
        toolUseEvent(
          text(data, 'toolName') ?? '',
          text(data, 'toolCallId') ?? null,
          data['arguments'],
        ),
      ];
    case 'tool.execution_complete':
      return [
        toolResultEvent(
          text(data, 'toolCallId'),
          // A failed command is a success here; only its exit code shows the failure.
          data['success'] === false ||
            (number(object(data, 'shellExecution'), 'exitCode') ?? 0) !== 0,
          object(data, 'result')['content'] ?? object(data, 'error')['message'],
        ),
      ];
    case 'model.call_failure':
      return [{ kind: 'retrying', error: callError(event, data) }];
    case 'session.error':
      return [{ kind: 'failed', error: sessionError(event, data), final: false }];
    case 'result':
      return readResult(event);
    default:
      return NOISE;
  }
}

function callError(event: Fields, data: Fields): ReturnType<typeof readProviderError> {
  const codes = [text(data, 'errorCode'), text(data, 'errorType'), text(data, 'failureKind')];
  return readProviderError(text(data, 'errorMessage') ?? '', {
    status: number(data, 'statusCode') ?? null,
    code: codes.filter((code) => code !== undefined).join(' ') || null,
    at: instant(event, 'timestamp'),
  });
}

function sessionError(event: Fields, data: Fields): ReturnType<typeof readProviderError> {
  const type = text(data, 'errorType');
  return readProviderError(text(data, 'message') ?? '', {
    status: number(data, 'statusCode') ?? null,
    code: type === undefined || type === 'query' ? null : type,
    at: instant(event, 'timestamp'),
  });
}

function readResult(event: Fields): readonly AgentEvent[] {
  const id = text(event, 'sessionId');
  const session: readonly AgentEvent[] = id === undefined ? [] : [{ kind: 'session', id }];
  const isGood = number(event, 'exitCode') === 0;
  return isGood
    ? [...session, { kind: 'concluded', summary: '' }]
    : session.length > 0
      ? session
      : NOISE;
}
