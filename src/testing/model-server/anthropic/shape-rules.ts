import { isRecord } from '../../../base/json.ts';
import { firstDuplicate, findFirst, list, records, strangeKey, text } from '../request-shape.ts';
import type { WireRequest, Complaint, WireRule } from '../model-wire.ts';
import { BLOCK_KEYS, COUNT_KEYS, MESSAGE_KEYS, TOOL_KEYS, TOP_KEYS } from './anthropic-keys.ts';
import { readBlocks } from './anthropic-turns.ts';

function required(field: string): Complaint {
  return { message: `${field}: Field required` };
}

function extra(path: string): Complaint {
  return { message: `${path}: Extra inputs are not permitted` };
}

export const versionHeader: WireRule = ({ headers }) =>
  headers['anthropic-version'] === undefined
    ? { message: 'anthropic-version: header is required' }
    : undefined;

export const requiredFields: WireRule = ({ body }) =>
  findFirst(['model', 'messages'], (field) =>
    body[field] === undefined ? required(field) : undefined,
  );

/** Required by `/v1/messages` only: counting tokens produces none. */
export const maxTokensRequired: WireRule = ({ body }) =>
  body['max_tokens'] === undefined ? required('max_tokens') : undefined;

export const knownKeys: WireRule = ({ body }) => {
  const key = strangeKey(body, TOP_KEYS);
  return key === undefined ? undefined : extra(key);
};

export const knownCountKeys: WireRule = ({ body }) => {
  const key = strangeKey(body, COUNT_KEYS);
  return key === undefined ? undefined : extra(key);
};

const TYPES: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  model: [(value) => typeof value === 'string', 'Input should be a valid string'],
  messages: [Array.isArray, 'Input should be a valid list'],
  max_tokens: [Number.isInteger, 'Input should be a valid integer'],
  stream: [(value) => typeof value === 'boolean', 'Input should be a valid boolean'],
  temperature: [(value) => typeof value === 'number', 'Input should be a valid number'],
  tools: [Array.isArray, 'Input should be a valid list'],
  metadata: [isRecord, 'Input should be an object'],
  system: [
    (value) => typeof value === 'string' || Array.isArray(value),
    'Input should be a valid string or list',
  ],
};

export const fieldTypes: WireRule = ({ body }) =>
  findFirst(Object.entries(TYPES), ([field, [fits, words]]) =>
    body[field] === undefined || fits(body[field]) ? undefined : { message: `${field}: ${words}` },
  );

export const maxTokensPositive: WireRule = ({ body }) =>
  Number(body['max_tokens'] ?? 1) < 1
    ? { message: 'max_tokens: Input should be greater than or equal to 1' }
    : undefined;

export const messageShape: WireRule = ({ body, headers }) =>
  findFirst(list(body['messages']), (message, index) => {
    const path = `messages.${index}`;
    if (!isRecord(message)) return { message: `${path}: Input should be an object` };
    if (message['role'] === undefined) return required(`${path}.role`);
    if (!rolesFor(text(body['model']), headers).includes(text(message['role'])))
      return { message: `${path}.role: Input should be 'user' or 'assistant'` };
    if (message['content'] === undefined) return required(`${path}.content`);
    return typeof message['content'] === 'string' || Array.isArray(message['content'])
      ? undefined
      : { message: `${path}.content: Input should be a valid string or list` };
  });

/** These accept a system message in the middle of a conversation without a beta header. */
const TAKES_SYSTEM_MESSAGES = /^claude-(?:opus-(?:4-[89]|[5-9])|sonnet-[6-9]|fable-|mythos-)/;

/** For every other model it is a beta that a client must request. */
function rolesFor(model: string, headers: WireRequest['headers']): readonly string[] {
  const inBeta = headers['anthropic-beta']?.includes('mid-conversation-system') === true;
  return inBeta || TAKES_SYSTEM_MESSAGES.test(model)
    ? ['user', 'assistant', 'system']
    : ['user', 'assistant'];
}

export const knownMessageKeys: WireRule = ({ body, headers }) =>
  findFirst(records(body['messages']), (message, index) => {
    // The effort of one turn: also a beta.
    const { output_config: _effort, ...plain } = message;
    const inBeta = headers['anthropic-beta']?.includes('per-turn-control') === true;
    const key = strangeKey(inBeta ? plain : message, MESSAGE_KEYS);
    return key === undefined ? undefined : extra(`messages.${index}.${key}`);
  });

export const knownBlockKeys: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) =>
    findFirst(readBlocks(message, index), ({ path, type, value }) => {
      const known = BLOCK_KEYS.get(type);
      const key = known === undefined ? undefined : strangeKey(value, known);
      return key === undefined ? undefined : extra(`${path}.${type}.${key}`);
    }),
  );

export const blockShape: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) =>
    findFirst(readBlocks(message, index), ({ path, type, value }) => {
      if (!BLOCK_KEYS.has(type)) {
        const known = [...BLOCK_KEYS.keys()].map((name) => `'${name}'`).join(', ');
        return {
          message: `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${known}`,
        };
      }
      if (type === 'text' && typeof value['text'] !== 'string')
        return { message: `${path}.text.text: Input should be a valid string` };
      if (type === 'tool_use' && !isRecord(value['input']))
        return { message: `${path}.tool_use.input: Input should be a valid dictionary` };
      if (type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(text(value['id'])))
        return { message: `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'` };
      return type === 'tool_result' && value['tool_use_id'] === undefined
        ? required(`${path}.tool_result.tool_use_id`)
        : undefined;
    }),
  );

export const toolShape: WireRule = ({ body }) =>
  findFirst(records(body['tools']), (tool, index) => {
    if (tool['type'] !== undefined && tool['type'] !== 'custom') return undefined;
    const path = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(text(tool['name'])))
      return { message: `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'` };
    if (!isRecord(tool['input_schema'])) return required(`${path}.input_schema`);
    const key = strangeKey(tool, TOOL_KEYS);
    return key === undefined ? undefined : extra(`${path}.${key}`);
  });

export const toolNamesUnique: WireRule = ({ body }) => {
  const names = records(body['tools']).map((tool) => text(tool['name']));
  return firstDuplicate(names) === undefined
    ? undefined
    : { message: 'tools: Tool names must be unique.' };
};
