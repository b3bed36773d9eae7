/** The run that a request names. */
import type { Context } from 'hono';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { parseRunId } from '../base/ids.ts';

/** The run in the path. */
export function runIdOf(context: Context): RunId {
  return parsedRun(context.req.param('id') ?? '');
}

export function parsedRun(text: string): RunId {
  const run = parseRunId(text);
  if (run !== undefined) return run;
  throw new Refusal({
    code: 'request.invalid',
    message: `${JSON.stringify(text)} is not a run id. A run id has ten hex digits.`,
    hint: 'List the runs with: supervisor status --all',
  });
}
