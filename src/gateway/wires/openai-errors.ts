import type { Json } from '../../base/json.ts';
import { recordField, textField } from './json-shape.ts';
import type { WireError } from './wire.ts';

/** The error format of both OpenAI wires. */
export function openaiError(body: Readonly<Record<string, unknown>>): WireError | null {
  const error = recordField(body['error']);
  const type = textField(error['code']) || textField(error['type']);
  if (type === '' && textField(error['message']) === '') return null;
  return { type, message: textField(error['message']), body };
}

export function openaiRefusal(status: number, code: string, message: string): Json {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code } };
}
