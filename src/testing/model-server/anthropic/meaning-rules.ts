/**
 * Not enforced, because the real answer depends on the model or is not known: the signatures of
 * thoughts, a prefilled last answer (newer models refuse it), sizes, and which key needs which
 * beta.
 */
import { isRecord } from '../../../base/json.ts';
import { firstDuplicate, findFirst, list, records, text } from '../request-shape.ts';
import type { WireRule } from '../model-wire.ts';
import { readBlocks, listIds, readTurns } from './anthropic-turns.ts';

export const someMessage: WireRule = ({ body }) =>
  list(body['messages']).length === 0
    ? { message: 'messages: at least one message is required' }
    : undefined;

export const userFirst: WireRule = ({ body }) =>
  readTurns(body)[0]?.role === 'assistant'
    ? { message: 'messages: first message must use the "user" role' }
    : undefined;

export const nonEmptyContent: WireRule = ({ body }) => {
  const messages = records(body['messages']);
  return findFirst(messages, (message, index) => {
    const isLastAssistant = index === messages.length - 1 && message['role'] === 'assistant';
    return isLastAssistant || readBlocks(message, index).some(({ value }) => value['text'] !== '')
      ? undefined
      : {
          message: `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
        };
  });
};

export const nonEmptyText: WireRule = ({ body }) =>
  findFirst(records(body['messages']), (message, index) =>
    typeof message['content'] === 'string'
      ? undefined
      : findFirst(readBlocks(message, index), ({ type, value }) => {
          if (type !== 'text') return undefined;
          if (text(value['text']) === '')
            return { message: 'messages: text content blocks must be non-empty' };
          return text(value['text']).trim() === ''
            ? { message: 'messages: text content blocks must contain non-whitespace text' }
            : undefined;
        }),
  );

export const blocksInTheirRole: WireRule = ({ body }) =>
  findFirst(readTurns(body), (turn) =>
    findFirst(turn.blocks, ({ path, type }) => {
      const owner = { tool_use: 'assistant', tool_result: 'user' }[type];
      return owner === undefined || owner === turn.role
        ? undefined
        : { message: `${path}: \`${type}\` blocks can only be in \`${owner}\` messages` };
    }),
  );

export const callIdsUnique: WireRule = ({ body }) => {
  const ids = readTurns(body).flatMap((turn) => listIds(turn, 'tool_use'));
  return firstDuplicate(ids) === undefined
    ? undefined
    : { message: 'messages: `tool_use` ids must be unique' };
};

export const everyCallAnswered: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) => {
    const answered = new Set(listIds(turns[index + 1], 'tool_result'));
    const open = listIds(turn, 'tool_use').filter((id) => !answered.has(id));
    return open.length === 0 ? undefined : unanswered(turn.index, open);
  });
};

/** Documented: a text before the results of its message counts as a missing answer. */
export const resultsFirst: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) => {
    const results = turn.blocks.map(({ type }) => type === 'tool_result');
    const late =
      results.indexOf(false) !== -1 && results.lastIndexOf(true) > results.indexOf(false);
    const before = turns[index - 1];
    return late && before !== undefined
      ? unanswered(before.index, listIds(before, 'tool_use'))
      : undefined;
  });
};

export const everyResultAsked: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) => {
    const asked = new Set(listIds(turns[index - 1], 'tool_use'));
    return findFirst(turn.blocks, ({ path, type, value }) => {
      const id = text(value['tool_use_id']);
      return type !== 'tool_result' || asked.has(id)
        ? undefined
        : {
            message: `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
          };
    });
  });
};

export const oneResultPerCall: WireRule = ({ body }) =>
  findFirst(readTurns(body), (turn) => {
    const id = firstDuplicate(listIds(turn, 'tool_result'));
    return id === undefined
      ? undefined
      : {
          message: `messages.${turn.index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        };
  });

export const fewCacheMarks: WireRule = ({ body }) => {
  const marks =
    countMarks(body['system']) + countMarks(body['tools']) + countMarks(body['messages']);
  return marks <= 4
    ? undefined
    : {
        message: `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`,
      };
};

/**
 * A tool's own schema may contain `cache_control` too, so only the places where it is a mark count.
 */
function countMarks(value: unknown): number {
  return records(value)
    .map((item) => (item['cache_control'] ? 1 : 0) + countMarks(item['content']))
    .reduce((sum, marks) => sum + marks, 0);
}

export const thinkingFits: WireRule = ({ body }) => {
  const thinking = isRecord(body['thinking']) ? Number(body['thinking']['budget_tokens'] ?? 0) : 0;
  return thinking >= Number(body['max_tokens'] ?? Infinity)
    ? { message: '`max_tokens` must be greater than `thinking.budget_tokens`.' }
    : undefined;
};

function unanswered(index: number, ids: readonly string[]): { message: string } {
  return {
    message: `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  };
}
