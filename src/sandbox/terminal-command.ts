/**
 * A command in a terminal of its own. `script` opens the terminal where the command runs, so in a sandbox it is one of
 * the sandbox: nothing inside reaches the terminal of a person, and no key can be planted there.
 */
import { shellWord } from '../base/shell-words.ts';

type Size = { readonly rows: number; readonly columns: number };

/**
 * `script` waits for ever if it has children that it did not start. The first program of a sandbox starts the bridge to
 * the gateway and then becomes the command, so a shell stands between: the bridge is its child.
 */
const NO_CHILD_OF_SCRIPT = '"$@"; exit $?';

/** `script` starts its line with the SHELL of the environment, which may not read this line. */
export function terminalCommand(
  argv: readonly string[],
  { rows, columns }: Size,
): readonly [string, ...string[]] {
  const line = `stty sane rows ${rows} cols ${columns}; exec ${argv.map(shellWord).join(' ')}`;
  const command = ['script', '-q', '-e', '-f', '-c', line, '/dev/null'];
  return ['env', '-u', 'SHELL', 'sh', '-c', NO_CHILD_OF_SCRIPT, 'sh', ...command];
}
