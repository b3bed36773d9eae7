/** An error as JSON. With `--json`, a command that can't do its work prints this document instead of its own. */
import { z } from 'zod';
import type { RefusalData } from '../base/errors.ts';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { ERROR_CODES } from '../protocol/error-codes.ts';
import { documentSchema, field } from './document.ts';

/** The codes are a closed list, so a script can check that it handles each of them. */
export const errorCode = z.enum(ERROR_CODES);

export const ErrorFields = z.strictObject({
  code: field(errorCode, 'A stable code, such as usage.invalid or run.not-found.'),
  message: field(z.string(), 'What happened. The words may change.'),
  remedy: field(z.string().nullable(), 'What to do about it.'),
  file: field(z.string().nullable(), 'The file that is wrong.'),
  key: field(z.string().nullable(), 'The key in that file.'),
  line: field(z.int().nullable(), 'The line in that file, from 1.'),
});
export type ErrorFields = z.infer<typeof ErrorFields>;

/** For a document that is printed even if the command does not succeed. */
export const commandError = field(
  ErrorFields.nullable(),
  'Why the exit code is not 0. Null: it is 0.',
);

export const ErrorDocument = documentSchema('error', 'Why a command did not do its work.', {
  error: ErrorFields,
  exit_code: field(z.int(), 'The exit code of the command.'),
});
export type ErrorDocument = z.infer<typeof ErrorDocument>;

export function errorFields({ code, message, hint, details = {} }: RefusalData): ErrorFields {
  const { file, path, key, line } = details;
  return {
    code,
    message,
    remedy: hint ?? null,
    file: textOrNull(file) ?? textOrNull(path),
    key: textOrNull(key),
    line: typeof line === 'number' && line > 0 ? line : null,
  };
}

/** An error that concerns no file. */
export function simpleError(code: ErrorCode, message: string, remedy: string | null): ErrorFields {
  return { code, message, remedy, file: null, key: null, line: null };
}

/** An empty key is the file as a whole. */
function textOrNull(value: string | number | boolean | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function errorDocument(error: ErrorFields, exitCode: number): ErrorDocument {
  return { schema: 'supervisor.error/1', error, exit_code: exitCode };
}
