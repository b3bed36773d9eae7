/**
 * Not enforced: that a call comes with the thought that led to it, because only the provider knows
 * which one that was; and the shape of tools and items that the provider itself runs.
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
import { firstDuplicate, findFirst, list, records, strangeKey, text } from '../request-shape.ts';
import type { Complaint, WireRule } from '../model-wire.ts';
import { ITEM_KEYS, PART_KEYS, ROLES, TOP_KEYS } from './openai-responses-keys.ts';

const knownKeys: WireRule = ({ body }) => {
  const key = strangeKey(body, TOP_KEYS);
  return key === undefined ? undefined : unknownParameter(key);
};

const requiredFields: WireRule = ({ body }) => {
  if (body['model'] === undefined) return missingParameter('model');
  const elsewhere = ['prompt', 'previous_response_id', 'conversation'].some(
    (key) => body[key] !== undefined,
  );
  return body['input'] === undefined && !elsewhere ? missingParameter('input') : undefined;
};

const fieldTypes: WireRule = ({ body }) =>
  firstWrongType(body, {
    model: [(value) => typeof value === 'string', 'a string'],
    input: [
      (value) => typeof value === 'string' || Array.isArray(value),
      'one of a string or array of input items',
    ],
    instructions: [(value) => typeof value === 'string', 'a string'],
    stream: [isBoolean, 'a boolean'],
    store: [isBoolean, 'a boolean'],
    tools: [Array.isArray, 'an array of objects'],
    max_output_tokens: [Number.isInteger, 'an integer'],
  });

const someInput: WireRule = ({ body }) =>
  Array.isArray(body['input']) && body['input'].length === 0 ? emptyArray('input') : undefined;

/** A message may leave its type out; every other item must name it. */
function itemType(item: Readonly<Record<string, unknown>>): string {
  return item['type'] === undefined && item['role'] !== undefined ? 'message' : text(item['type']);
}

const itemShape: WireRule = ({ body }) =>
  findFirst(list(body['input']), (item, index) => {
    const path = `input[${index}]`;
    if (!isRecord(item)) return invalidType(path, 'an input item', item);
    const type = itemType(item);
    if (!ITEM_KEYS.has(type))
      return invalidValue(`${path}.type`, item['type'], [...ITEM_KEYS.keys()]);
    return type === 'message' ? messageShape(item, path) : callShape(item, type, path);
  });

const knownItemKeys: WireRule = ({ body }) =>
  findFirst(records(body['input']), (item, index) => {
    const path = `input[${index}]`;
    const key = strangeKeyIn(item, ITEM_KEYS.get(itemType(item)));
    if (key !== undefined) return unknownParameter(`${path}.${key}`);
    return findFirst(records(item['content']), (part, at) => {
      const key = strangeKeyIn(part, PART_KEYS.get(text(part['type'])));
      return key === undefined ? undefined : unknownParameter(`${path}.content[${at}].${key}`);
    });
  });

function strangeKeyIn(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string> | undefined,
): string | undefined {
  return known === undefined ? undefined : strangeKey(value, known);
}

function messageShape(item: Record<string, unknown>, path: string): Complaint | undefined {
  if (!ROLES.some((role) => role === item['role']))
    return invalidValue(`${path}.role`, item['role'], ROLES);
  if (item['content'] === undefined) return missingParameter(`${path}.content`);
  if (typeof item['content'] === 'string') return undefined;
  if (!Array.isArray(item['content']))
    return invalidType(
      `${path}.content`,
      'one of a string or array of content parts',
      item['content'],
    );
  const allowed = [...PART_KEYS.keys()].filter(
    (type) => (item['role'] === 'assistant') === /^(output_text|refusal)$/.test(type),
  );
  return findFirst(records(item['content']), ({ type }, index) =>
    allowed.includes(text(type))
      ? undefined
      : invalidValue(`${path}.content[${index}].type`, type, allowed),
  );
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
  custom_tool_call: ['call_id', 'name', 'input'],
  custom_tool_call_output: ['call_id', 'output'],
  reasoning: ['summary'],
};

function callShape(
  item: Record<string, unknown>,
  type: string,
  path: string,
): Complaint | undefined {
  return findFirst(REQUIRED[type] ?? [], (field) =>
    item[field] === undefined ? missingParameter(`${path}.${field}`) : undefined,
  );
}

/** The live API sometimes accepts broken arguments; our clients may not rely on that. */
const argumentsAreJson: WireRule = ({ body }) =>
  findFirst(records(body['input']), (item, index) =>
    item['type'] === 'function_call' && !isRecord(parseJson(text(item['arguments'])))
      ? {
          message: `Invalid 'input[${index}].arguments': expected a string that is a valid JSON object.`,
          param: `input[${index}].arguments`,
          code: 'invalid_value',
        }
      : undefined,
  );

/** The name of each kind of call in messages, by the types of the call and of its output. */
const PAIRS = [
  ['function_call', 'function_call_output', 'function call'],
  ['custom_tool_call', 'custom_tool_call_output', 'custom tool call'],
  ['local_shell_call', 'local_shell_call_output', 'local shell call'],
] as const;

const everyOutputAsked: WireRule = ({ body }) => {
  if (body['previous_response_id'] !== undefined) return undefined; // the call may be in that one
  const items = records(body['input']);
  return findFirst(items, (item, index) => {
    const pair = PAIRS.find(([, output]) => output === item['type']);
    if (pair === undefined) return undefined;
    const asked = items
      .slice(0, index)
      .some(({ type, call_id }) => type === pair[0] && call_id === item['call_id']);
    return asked
      ? undefined
      : {
          message: `No tool call found for ${pair[2]} output with call_id ${text(item['call_id'])}.`,
          param: 'input',
        };
  });
};

const everyCallAnswered: WireRule = ({ body }) => {
  const items = records(body['input']);
  return findFirst(items, (item, index) => {
    const pair = PAIRS.find(([call]) => call === item['type']);
    if (pair === undefined) return undefined;
    const answered = items
      .slice(index + 1)
      .some(({ type, call_id }) => type === pair[1] && call_id === item['call_id']);
    return answered
      ? undefined
      : {
          message: `No tool output found for ${pair[2]} ${text(item['call_id'])}.`,
          param: 'input',
        };
  });
};

/** The message is our own: the real message for a second output is not known. */
const oneOutputPerCall: WireRule = ({ body }) => {
  const ids = records(body['input'])
    .filter(({ type }) => PAIRS.some(([, output]) => output === type))
    .map(({ call_id }) => text(call_id));
  const id = firstDuplicate(ids);
  return id === undefined
    ? undefined
    : { message: `Duplicate tool output found for call_id ${id}.`, param: 'input' };
};

const callIdsUnique: WireRule = ({ body }) => {
  const ids = records(body['input'])
    .filter(({ type }) => PAIRS.some(([call]) => call === type))
    .map(({ call_id }) => text(call_id));
  const id = firstDuplicate(ids);
  return id === undefined
    ? undefined
    : { message: `Duplicate tool call found with call_id ${id}.`, param: 'input' };
};

/**
 * A thought belongs to the model's next item; without that item, the API refuses the conversation.
 */
const reasoningFollowed: WireRule = ({ body }) => {
  const items = records(body['input']);
  return findFirst(items, (item, index) => {
    if (item['type'] !== 'reasoning') return undefined;
    const next = items[index + 1];
    const byModel =
      next !== undefined &&
      (itemType(next) === 'reasoning' ||
        itemType(next).endsWith('_call') ||
        (itemType(next) === 'message' && next['role'] === 'assistant'));
    return byModel
      ? undefined
      : {
          message: `Item '${text(item['id'])}' of type 'reasoning' was provided without its required following item.`,
          param: 'input',
        };
  });
};

function readName({ type, name }: Readonly<Record<string, unknown>>): Named | undefined {
  return type === 'function' || type === 'custom' ? { path: 'name', name } : undefined;
}

export const responsesRules = {
  'required-fields': requiredFields,
  'known-keys': knownKeys,
  'field-types': fieldTypes,
  'some-input': someInput,
  'item-shape': itemShape,
  'known-item-keys': knownItemKeys,
  'arguments-are-json': argumentsAreJson,
  'tool-shape': toolShape(readName),
  'tool-names-unique': toolNamesUnique(readName),
  'call-ids-unique': callIdsUnique,
  'every-output-asked': everyOutputAsked,
  'one-output-per-call': oneOutputPerCall,
  'every-call-answered': everyCallAnswered,
  'reasoning-followed': reasoningFollowed,
} as const satisfies Record<string, WireRule>;
