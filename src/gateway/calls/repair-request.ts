/**
 * Repairs errors that a CLI makes when it continues a stored conversation. The provider rejects such a request as a
 * whole (HTTP 400), so the conversation could never continue.
 */
import { isRecord } from '../../base/json.ts';
import type { RequestBody } from '../screen/screen.ts';
import type { WireName } from '../wires/wire.ts';

/** Copilot adds its own notes to stored tool messages. No provider accepts a field with such a name. */
const PRIVATE_NOTE = /^__copilot/;

const REPAIRS: Readonly<Record<WireName, (body: RequestBody) => RequestBody>> = {
  anthropic: (body) => withoutNotes(body, 'messages'),
  'openai-chat': (body) => withoutNotes(body, 'messages'),
  'openai-responses': (body) => withoutNotes(body, 'input'),
  gemini: withoutRepeatedResults,
};

/** Returns the same value if there is nothing to repair. */
export function repairRequest(wire: WireName, body: RequestBody): RequestBody {
  return REPAIRS[wire](body);
}

function withoutNotes(body: RequestBody, key: string): RequestBody {
  return withEach(body, key, (message) => {
    if (!isRecord(message)) return message;
    const entries = Object.entries(message);
    const remaining = entries.filter(([name]) => !PRIVATE_NOTE.test(name));
    return remaining.length === entries.length ? message : Object.fromEntries(remaining);
  });
}

/**
 * Gemini CLI repeats each stored tool result, but a turn must have exactly as many results as the previous turn has
 * calls.
 */
function withoutRepeatedResults(body: RequestBody): RequestBody {
  return withEach(body, 'contents', (content) => {
    if (!isRecord(content)) return content;
    const seen = new Set<string>();
    return withEach(content, 'parts', (part) => {
      const id = resultId(part);
      if (id === undefined) return part;
      if (seen.has(id)) return undefined;
      seen.add(id);
      return part;
    });
  });
}

function resultId(part: unknown): string | undefined {
  const result = isRecord(part) ? part['functionResponse'] : undefined;
  const id = isRecord(result) ? result['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The record with each item of a list replaced by `change`. An item is removed if `change` returns undefined. */
function withEach(
  record: RequestBody,
  key: string,
  change: (item: unknown) => unknown,
): RequestBody {
  const items: unknown = record[key];
  if (!Array.isArray(items)) return record;
  const changed = (items as readonly unknown[]).map(change);
  if (changed.every((item, index) => item === items[index])) return record;
  return { ...record, [key]: changed.filter((item) => item !== undefined) };
}
