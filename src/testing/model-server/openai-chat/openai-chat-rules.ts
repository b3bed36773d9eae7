/**
 * Roles may follow each other in any order: the API checks only the position of the answers to
 * calls.
 */
import { isRecord, parseJson } from '../../../base/json.ts';
import {
  emptyArray,
  firstWrongType,
  invalidType,
  isBoolean,
  invalidValue,
  missingParameter,
  unknownParameter,
} from '../openai/openai-complaints.ts';
import type { Named } from '../openai/tool-rules.ts';
import { toolNamesUnique, toolShape } from '../openai/tool-rules.ts';
import {
  firstDuplicate,
  findFirst,
  isBlank,
  list,
  records,
  strangeKey,
  text,
} from '../request-shape.ts';
import type { Complaint, WireRule } from '../model-wire.ts';
import { MESSAGE_KEYS, PART_KEYS, TOOL_CALL_KEYS, TOP_KEYS } from './openai-chat-keys.ts';

const requiredFields: WireRule = ({ body }) => {
  if (body['model'] === undefined) return { message: 'you must provide a model parameter' };
  return body['messages'] === undefined ? missingParameter('messages') : undefined;
};

const knownKeys: WireRule = ({ body }) => {
  const key = strangeKey(body, TOP_KEYS);
  return key === undefined ? undefined : unknownParameter(key);
};

const fieldTypes: WireRule = ({ body }) =>
  firstWrongType(body, {
    model: [(value) => typeof value === 'string', 'a string'],
    messages: [Array.isArray, 'an array of objects'],
    stream: [isBoolean, 'a boolean'],
    tools: [Array.isArray, 'an array of objects'],
    max_tokens: [Number.isInteger, 'an integer'],
    max_completion_tokens: [Number.isInteger, 'an integer'],
    temperature: [(value) => typeof value === 'number', 'a decimal'],
  });

const someMessage: WireRule = ({ body }) =>
  list(body['messages']).length === 0 ? emptyArray('messages') : undefined;

const someTool: WireRule = ({ body }) =>
  Array.isArray(body['tools']) && body['tools'].length === 0 ? emptyArray('tools') : undefined;

const messageShape: WireRule = ({ body }) =>
  findFirst(list(body['messages']), (message, index) => {
    const path = `messages[${index}]`;
    if (!isRecord(message)) return invalidType(path, 'an object', message);
    if (message['role'] === undefined) return missingParameter(`${path}.role`);
    return MESSAGE_KEYS.has(text(message['role']))
      ? contentShape(message, path)
      : invalidValue(`${path}.role`, message['role'], [...MESSAGE_KEYS.keys()]);
  });

const knownMessageKeys: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) => {
    const path = `messages[${index}]`;
    const key = strangeKey(message, MESSAGE_KEYS.get(text(message['role'])) ?? new Set());
    if (key !== undefined) return unknownParameter(`${path}.${key}`);
    return findFirst(records(message['tool_calls']), (call, at) => {
      const key = strangeKey(call, TOOL_CALL_KEYS);
      return key === undefined ? undefined : unknownParameter(`${path}.tool_calls[${at}].${key}`);
    });
  });

function contentShape(message: Record<string, unknown>, path: string): Complaint | undefined {
  const { content, role } = message;
  const hasCalls = list(message['tool_calls']).length > 0 || message['function_call'] !== undefined;
  if (content === undefined || content === null)
    return role === 'assistant' && (hasCalls || message['refusal'] !== undefined)
      ? undefined
      : {
          message: `Invalid value for 'content': expected a string, got null.`,
          param: `${path}.content`,
          code: 'invalid_type',
        };
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content))
    return invalidType(`${path}.content`, 'one of a string or array of objects', content);
  if (content.length === 0) return emptyArray(`${path}.content`);
  return findFirst(records(content), (part, index) => {
    const known = PART_KEYS.get(text(part['type']));
    const partPath = `${path}.content[${index}]`;
    if (known === undefined)
      return invalidValue(`${partPath}.type`, part['type'], [...PART_KEYS.keys()]);
    const key = strangeKey(part, known);
    return key === undefined ? undefined : unknownParameter(`${partPath}.${key}`);
  });
}

const toolCallShape: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) => {
    const path = `messages[${index}].tool_calls`;
    if (Array.isArray(message['tool_calls']) && message['tool_calls'].length === 0)
      return emptyArray(path);
    return findFirst(records(message['tool_calls']), (call, at) => {
      if (isBlank(call['id'])) return missingParameter(`${path}[${at}].id`);
      return call['type'] === 'function' && !isRecord(call['function'])
        ? missingParameter(`${path}[${at}].function`)
        : undefined;
    });
  });

/** The live API sometimes accepts broken arguments; our clients may not rely on that. */
const argumentsAreJson: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) =>
    findFirst(records(message['tool_calls']), (call, at) => {
      const made = isRecord(call['function']) ? call['function']['arguments'] : '{}';
      const param = `messages[${index}].tool_calls[${at}].function.arguments`;
      return isRecord(parseJson(text(made)))
        ? undefined
        : {
            message: `Invalid '${param}': expected a string that is a valid JSON object.`,
            param,
            code: 'invalid_value',
          };
    }),
  );

const toolMessageNamesItsCall: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) =>
    message['role'] === 'tool' && isBlank(message['tool_call_id'])
      ? {
          message: `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`,
          param: `messages.[${index}].tool_call_id`,
        }
      : undefined,
  );

/**
 * The calls of the assistant message that starts the run of tool messages ending before `index`.
 */
function openCallsAt(messages: readonly Record<string, unknown>[], index: number): string[] {
  let before = index - 1;
  while (messages[before]?.['role'] === 'tool') before -= 1;
  return records(messages[before]?.['tool_calls']).map((call) => text(call['id']));
}

const everyResultAsked: WireRule = ({ body }) => {
  const messages = records(body['messages']);
  return findFirst(messages, (message, index) =>
    message['role'] !== 'tool' ||
    openCallsAt(messages, index).includes(text(message['tool_call_id']))
      ? undefined
      : {
          message: `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
          param: `messages.[${index}].role`,
        },
  );
};

/** The ids answered by the run of tool messages right after `index`. */
function answersAfter(messages: readonly Record<string, unknown>[], index: number): string[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex((message) => message['role'] !== 'tool');
  return rest
    .slice(0, end === -1 ? undefined : end)
    .map((message) => text(message['tool_call_id']));
}

const everyCallAnswered: WireRule = ({ body }) => {
  const messages = records(body['messages']);
  return findFirst(messages, (message, index) => {
    const answered = answersAfter(messages, index);
    const open = records(message['tool_calls'])
      .map((call) => text(call['id']))
      .filter((id) => !answered.includes(id));
    return open.length === 0
      ? undefined
      : {
          message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
          param: `messages.[${index + 1}].role`,
        };
  });
};

/** The message is our own: the real message for a second answer is not known. */
const oneResultPerCall: WireRule = ({ body }) => {
  const messages = records(body['messages']);
  return findFirst(messages, (message, index) => {
    const id =
      records(message['tool_calls']).length === 0
        ? undefined
        : firstDuplicate(answersAfter(messages, index));
    return id === undefined
      ? undefined
      : { message: `Duplicate response messages for tool_call_id '${id}'.`, param: 'messages' };
  });
};

/** In this wire the tool is wrapped into an object with its kind. */
function readFunction(tool: Readonly<Record<string, unknown>>): Named | undefined {
  if (tool['type'] !== 'function') return undefined;
  return {
    path: 'function.name',
    name: isRecord(tool['function']) ? tool['function']['name'] : '',
  };
}

export const chatRules = {
  'required-fields': requiredFields,
  'known-keys': knownKeys,
  'field-types': fieldTypes,
  'some-message': someMessage,
  'some-tool': someTool,
  'message-shape': messageShape,
  'known-message-keys': knownMessageKeys,
  'tool-call-shape': toolCallShape,
  'arguments-are-json': argumentsAreJson,
  'tool-shape': toolShape(readFunction),
  'tool-names-unique': toolNamesUnique(readFunction),
  'tool-message-names-its-call': toolMessageNamesItsCall,
  'every-result-asked': everyResultAsked,
  'one-result-per-call': oneResultPerCall,
  'every-call-answered': everyCallAnswered,
} as const satisfies Record<string, WireRule>;
