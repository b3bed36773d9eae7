/**
 * What a CLI writes wrongly when it goes on with a stored conversation, put right on its way. The
 * provider refuses such a request as a whole (HTTP 400), so the conversation could never go on.
 */
import { isRecord } from '../../base/json.ts';
import type { RequestBody } from '../screen/screen.ts';
import type { WireName } from '../wires/wire.ts';

/** Copilot marks stored tool messages with notes of its own. No provider takes a field with such a name. */
const PRIVATE_NOTE = /^__copilot/;

const MENDS: Readonly<Record<WireName, (body: RequestBody) => RequestBody>> = {
  anthropic: (body) => withoutNotes(body, 'messages'),
  'openai-chat': (body) => withoutNotes(body, 'messages'),
  'openai-responses': (body) => withoutNotes(body, 'input'),
  gemini: withoutRepeatedResults,
};

/** The same value where nothing is wrong. */
export function repairRequest(wire: WireName, body: RequestBody): RequestBody {
  return MENDS[wire](body);
}

function withoutNotes(body: RequestBody, key: string): RequestBody {
  return withEach(body, key, (message) => {
    if (!isRecord(message)) return message;
    const entries = Object.entries(message);
    const kept = entries.filter(([name]) => !PRIVATE_NOTE.test(name));
    return kept.length === entries.length ? message : Object.fromEntries(kept);
  });
}

/** Gemini CLI repeats each stored tool result. A turn must have as many results as the turn before has calls. */
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

/** The record with each item of a list as `change` gives it; undefined leaves an item out. */
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
