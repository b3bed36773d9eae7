/**
 * Whether a result of a tool reports a failure, for wires that have no field for it. Most shell tools name the exit code in
 * a place of their own. Words of the output itself count only if there is no such place.
 */
import { countFailing } from '../../turns/progress-signs.ts';
import { shellOutput } from '../../turns/shell-output.ts';

const REPORT_CHARS = 300;
const FAILED =
  /\bexit(?:ed)?(?: with)?(?: exit)? ?code:?\s*[1-9]|^\s*(?:<tool_use_error>|error:|failed\b)/i;

const ERROR_CHARS_MAX = 500;
/** The words with which the other tools of CLIs report an error: codex, copilot and opencode. The whole result is one. */
const TOOL_FAILED =
  /^(?:unable to locate image at |(?:exec_command|write_stdin|apply_patch(?: verification)?) failed\b|unsupported call: |file not found: \S|file \S{1,300} not found$|path \S{1,300} does not exist\.|E[A-Z]{3,12}: )/i;
/** The shell of opencode names no exit code. Programs end with such a line when they could not do anything. */
const PROGRAM_FAILED =
  /^(?:[\w./-]{1,200}: ){1,3}(?:.{0,300}: )?(?:command not found|not found|no such file or directory|permission denied|is a directory)$/i;

export function readsAsFailure(result: string): boolean {
  const { code } = shellOutput(result);
  if (code !== null) return code !== 0;
  if (result.length <= ERROR_CHARS_MAX && TOOL_FAILED.test(result)) return true;
  const tail = result.slice(-REPORT_CHARS);
  if (FAILED.test(result.slice(0, REPORT_CHARS)) || FAILED.test(tail)) return true;
  return PROGRAM_FAILED.test(lastLine(tail)) || (countFailing(tail) ?? 0) > 0;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
