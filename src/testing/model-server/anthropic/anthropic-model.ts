import type { JsonObject } from '../../../base/json.ts';
import { anthropic as reader } from '../../../gateway/wires/anthropic-wire.ts';
import { pieces, sse } from '../request-shape.ts';
import type { Reply, WireRule, Wire } from '../model-wire.ts';
import * as meaning from './meaning-rules.ts';
import { anthropicProblem } from './anthropic-problems.ts';
import * as shape from './shape-rules.ts';

const STOP_REASONS = {
  end: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
} as const;

/** A real signature proves where a thought came from; nothing checks this one. */
const SIGNATURE = 'c2lnbmVk';

/** Rules for counting tokens as well as for messages. */
const commonRules = {
  'field-types': shape.fieldTypes,
  'message-shape': shape.messageShape,
  'known-message-keys': shape.knownMessageKeys,
  'block-shape': shape.blockShape,
  'known-block-keys': shape.knownBlockKeys,
  'tool-shape': shape.toolShape,
  'tool-names-unique': shape.toolNamesUnique,
  'some-message': meaning.someMessage,
  'user-first': meaning.userFirst,
  'non-empty-content': meaning.nonEmptyContent,
  'non-empty-text': meaning.nonEmptyText,
  'blocks-in-their-role': meaning.blocksInTheirRole,
  'call-ids-unique': meaning.callIdsUnique,
  'one-result-per-call': meaning.oneResultPerCall,
  'every-call-answered': meaning.everyCallAnswered,
  'results-first': meaning.resultsFirst,
  'every-result-asked': meaning.everyResultAsked,
  'few-cache-marks': meaning.fewCacheMarks,
} as const satisfies Record<string, WireRule>;

export const anthropicRules = {
  'version-header': shape.versionHeader,
  'required-fields': shape.requiredFields,
  'max-tokens-required': shape.maxTokensRequired,
  'known-keys': shape.knownKeys,
  'max-tokens-positive': shape.maxTokensPositive,
  ...commonRules,
  'thinking-fits': meaning.thinkingFits,
} as const satisfies Record<string, WireRule>;

/** The rules of `/v1/messages/count_tokens`. */
export const anthropicCountRules: Readonly<Record<string, WireRule>> = {
  'version-header': shape.versionHeader,
  'required-fields': shape.requiredFields,
  'known-keys': shape.knownCountKeys,
  ...commonRules,
};

function renderUsage({ usage }: Reply) {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
  };
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonObject;
    };

function renderContent({ thought, text, calls }: Reply): Block[] {
  return [
    ...(thought === ''
      ? []
      : [{ type: 'thinking', thinking: thought, signature: SIGNATURE } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id, name, args }) => {
      const input = typeof args === 'string' ? { input: args } : args;
      return { type: 'tool_use', id: `toolu_${id}`, name, input } as const;
    }),
  ];
}

function message(reply: Reply) {
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: renderContent(reply),
    stop_reason: STOP_REASONS[reply.stop],
    stop_sequence: null,
    usage: renderUsage(reply),
  };
}

function emptied(block: Block): JsonObject {
  switch (block.type) {
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'text':
      return { ...block, text: '' };
    case 'tool_use':
      return { ...block, input: {} };
  }
}

function renderDeltas(block: Block): readonly JsonObject[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'text':
      return pieces(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'tool_use':
      return pieces(JSON.stringify(block.input)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  }
}

function frames(reply: Reply): readonly string[] {
  const whole = message(reply);
  const start = {
    ...whole,
    content: [],
    stop_reason: null,
    usage: { ...renderUsage(reply), output_tokens: 1 },
  };
  const blocks = whole.content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...renderDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  return [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: whole.stop_reason, stop_sequence: null },
      usage: renderUsage(reply),
    },
    { type: 'message_stop' },
  ].map((event) => sse(event, event.type));
}

export const anthropic: Wire = {
  name: 'anthropic',
  requestIdHeader: 'request-id',
  notJson: 'The request body is not valid JSON.',
  rules: anthropicRules,
  read: ({ body }, path) => reader.readRequest(body, path),
  body: message,
  frames,
  count: (tokens) => ({ input_tokens: tokens }),
  problem: anthropicProblem,
  problemFrame: (problem) => sse(anthropicProblem(problem).body, 'error'),
};
