/** An error under `--json`: a document on standard output, where a script expects the result. */
import { CommanderError } from 'commander';
import { Refusal, describeError } from '../../base/errors.ts';
import type { ErrorFields } from '../../public-json/error-document.ts';
import { errorDocument, errorFields, simpleError } from '../../public-json/error-document.ts';
import { Canceled } from '../ask/canceled.ts';
import type { CliContext } from '../cli-context.ts';
import { EXIT, exitCodeFor } from '../exit-codes.ts';
import { printJson } from './print-json.ts';

/** Returns the exit code. `usageRemedy`: what to do about a wrong command line. */
export function reportJsonError(context: CliContext, error: unknown, usageRemedy: string): number {
  // The help was asked for, and is printed.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  const fields = fieldsOf(error, usageRemedy);
  const exitCode = error instanceof Canceled ? error.exitCode : exitCodeFor(fields.code);
  printJson(context, errorDocument(fields, exitCode));
  if (exitCode === EXIT.defect && error instanceof Error)
    context.err(`${error.stack ?? ''}\n`, 'verbatim');
  return exitCode;
}

function fieldsOf(error: unknown, usageRemedy: string): ErrorFields {
  if (error instanceof Canceled) return simpleError('command.interrupted', error.message, null);
  if (error instanceof Refusal) return errorFields(error.data);
  if (error instanceof CommanderError)
    return simpleError('usage.invalid', error.message.replace(/^error: /, ''), usageRemedy);
  return simpleError(
    'internal.defect',
    `Internal error: ${describeError(error)}`,
    'This is a bug in Supervisor. Please report it with the text on standard error.',
  );
}
