/** An error under `--json`: a document on standard output, where a script expects the result. */
import { CommanderError } from 'commander';
import { Refusal, describeError } from '../base/errors.ts';
import type { ErrorFields } from '../public-json/error-document.ts';
import { errorDocument, errorFields } from '../public-json/error-document.ts';
import type { CliContext } from './cli-context.ts';
import { EXIT, refusalExitCode } from './exit-codes.ts';
import { printJson } from './print-json.ts';

/** Returns the exit code. `usageRemedy`: what to do about a wrong command line. */
export function reportJsonError(context: CliContext, error: unknown, usageRemedy: string): number {
  // The help was asked for, and is printed.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  const exitCode = exitCodeFor(error);
  printJson(context, errorDocument(fieldsOf(error, usageRemedy), exitCode));
  if (exitCode === EXIT.defect && error instanceof Error) context.err(`${error.stack ?? ''}\n`);
  return exitCode;
}

function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return EXIT.usage;
  return error instanceof Refusal ? refusalExitCode(error.data.code) : EXIT.defect;
}

function fieldsOf(error: unknown, usageRemedy: string): ErrorFields {
  if (error instanceof Refusal) return errorFields(error.data);
  const none = { file: null, key: null, line: null };
  return error instanceof CommanderError
    ? {
        code: 'usage.invalid',
        message: error.message.replace(/^error: /, ''),
        remedy: usageRemedy,
        ...none,
      }
    : {
        code: 'internal.defect',
        message: `Internal error: ${describeError(error)}`,
        remedy: 'This is a bug in Supervisor. Please report it with the text on standard error.',
        ...none,
      };
}
