import type { Json } from '../../base/json.ts';
import { record, text } from '../shape.ts';
import type { WireError } from '../wire.ts';

/** Both of OpenAI's wires report an error alike. */
export function openaiError(body: Readonly<Record<string, unknown>>): WireError | null {
  const error = record(body['error']);
  const type = text(error['code']) || text(error['type']);
  if (type === '' && text(error['message']) === '') return null;
  return { type, message: text(error['message']), body };
}

export function openaiRefusal(status: number, code: string, message: string): Json {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code } };
}
