/** Finds a shell that a command starts with a line of its own, such as `sh -c "a && b"`, also behind other programs. */

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh']);

/** Programs that start another program, which their arguments name. */
const WRAPPERS = new Set(
  [
    'env command exec nice ionice nohup time timeout gtimeout stdbuf setsid chrt taskset unshare',
    'sudo doas su runuser chroot xargs parallel find fd watch entr flock script strace ltrace',
    'busybox toybox npx pnpx bunx uv poetry pipenv pdm hatch rye mise direnv dotenv cross-env',
  ].flatMap((names) => names.split(' ')),
);

/** Splits one argument into a command, as a shell does. */
const SPLITS = /^(?:-[a-zA-Z0-9]*S|--split-string(?:=|$))/;
/** A cluster of short options that has `c`, or its long form in fish. */
const RUNS_LINE = /^(?:-[a-zA-Z]*c[a-zA-Z]*|--command(?:=|$))/;

/** Such as `bash -lc`. Undefined: the command starts no shell, or one that reads a script of the project. */
export function shellInCommand(command: readonly string[]): string | undefined {
  const [program = ''] = command;
  if (!WRAPPERS.has(nameOf(program))) return shellAt(command, 0);
  if (nameOf(program) === 'env') {
    const split = command.find((word) => SPLITS.test(word));
    if (split !== undefined) return `env ${split.split('=', 1)[0]}`;
  }
  for (let at = 1; at < command.length; at += 1) {
    const found = shellAt(command, at);
    if (found !== undefined) return `${nameOf(program)} … ${found}`;
  }
  return undefined;
}

/** A shell without arguments reads lines from its input. */
function shellAt(command: readonly string[], at: number): string | undefined {
  const shell = nameOf(command[at] ?? '');
  if (!SHELLS.has(shell)) return undefined;
  if (at === command.length - 1) return shell;
  for (const word of command.slice(at + 1)) {
    if (RUNS_LINE.test(word)) return `${shell} ${word.split('=', 1)[0]}`;
    // What follows the first word that is no option belongs to the script.
    if (!/^[-+]/.test(word)) return word === '' ? `${shell} ''` : undefined;
    if (word === '-' || word === '-s') return `${shell} ${word}`;
  }
  return undefined;
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
