import { isRecord } from '../../../base/json.ts';
import { records, text } from '../request-shape.ts';

/** Neighbouring messages of one role, joined as the API itself does. */
export type Turn = {
  readonly role: string;
  /** The index of its last message in the request. */
  readonly index: number;
  readonly blocks: readonly Block[];
};

export type Block = {
  readonly path: string;
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
};

/** The content of one message as blocks: a plain string is one text block. */
export function readBlocks(message: Readonly<Record<string, unknown>>, index: number): Block[] {
  const content = message['content'];
  const path = `messages.${index}.content`;
  if (typeof content === 'string')
    return [{ path, type: 'text', value: { type: 'text', text: content } }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((value: unknown, at) =>
    isRecord(value) ? [{ path: `${path}.${at}`, type: text(value['type']), value }] : [],
  );
}

/**
 * `system` messages in the middle belong to no turn: they neither answer a call nor separate turns.
 */
export function readTurns(body: Readonly<Record<string, unknown>>): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of records(body['messages']).entries()) {
    const role = text(message['role']);
    if (role === 'system') continue;
    const blocks = readBlocks(message, index);
    const last = turns.at(-1);
    if (last?.role === role)
      turns[turns.length - 1] = { role, index, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, index, blocks });
  }
  return turns;
}

export function listIds(turn: Turn | undefined, type: 'tool_use' | 'tool_result'): string[] {
  const key = type === 'tool_use' ? 'id' : 'tool_use_id';
  return (turn?.blocks ?? [])
    .filter((block) => block.type === type)
    .map(({ value }) => text(value[key]));
}
