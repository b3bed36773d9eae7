/**
 * The output of a command without what a CLI writes around it: exit codes, times, numbers of processes, reminders. They
 * differ although two outputs say the same, and words of the output must not be taken for them.
 */

export type ShellOutput = {
  readonly text: string;
  /** The exit code, in a place that only the CLI writes. Null: there is none. */
  readonly code: number | null;
};

const FRAME_CHARS = 400;
/** Codex CLI. A command that is still running has a session instead of a code. */
const CODEX =
  /^(?:chunk id: .*\n)?(?:wall time: .*\n)?(?:(?:process exited with|exit) code:? (\d+)\n?|process running with .*\n)(?:wall time: .*\n)?(?:original token count: .*\n)?(?:total output lines: .*\n)?(?:output:\n?)?/i;
/** Copilot CLI. */
const COPILOT = /\n?<(?:shellid: \S{1,100} completed|exited) with exit code (\d+)>\s*$/i;
/** Gemini CLI, which names the code only if it is not 0. */
const GEMINI_BEGIN = /^\s*(?:<untrusted_context>\s*)?output: ?/i;
const GEMINI_END =
  /(?:\nerror: .*)?(?:\nexit code: (\d+))?(?:\nsignal: .*)?(?:\nbackground pids: .*)?\nprocess group pgid: \d+\s*(?:<\/untrusted_context>\s*)?$/i;
/** Claude Code, only if the command failed. */
const CLAUDE = /^exit code (\d+)(?:\n|$)/i;
const REMINDER = { begin: '<system-reminder>', end: '</system-reminder>' } as const;
const EMPTY = /^\((?:empty|none|no output|bash completed with no output)\)$/i;

export function shellOutput(output: string): ShellOutput {
  const text = withoutReminders(plainLines(output));
  const head = text.slice(0, FRAME_CHARS);
  const tail = text.slice(-FRAME_CHARS);
  const codex = CODEX.exec(head);
  if (codex !== null && codex[0] !== '') return framed(text.slice(codex[0].length), codex[1]);
  const copilot = COPILOT.exec(tail);
  if (copilot !== null) return framed(text.slice(0, -copilot[0].length), copilot[1]);
  const gemini = GEMINI_END.exec(tail);
  if (gemini !== null) {
    const begin = GEMINI_BEGIN.exec(head)?.[0].length ?? 0;
    return framed(text.slice(begin, -gemini[0].length), gemini[1] ?? '0');
  }
  const claude = CLAUDE.exec(head);
  return framed(claude === null ? text : text.slice(claude[0].length), claude?.[1]);
}

function framed(text: string, code: string | undefined): ShellOutput {
  return {
    text: EMPTY.test(text.trim()) ? '' : text,
    code: code === undefined ? null : Number(code),
  };
}

/** Claude Code ends many results with words of its own, such as the tokens that are left. */
function withoutReminders(output: string): string {
  let text = output;
  while (text.trimEnd().endsWith(REMINDER.end)) {
    const begin = text.lastIndexOf(REMINDER.begin);
    if (begin < 0) return text;
    text = text.slice(0, begin).trimEnd();
  }
  return text;
}

/** Colours, and the line ends of Windows. */
const ESCAPE = String.fromCodePoint(27);
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');

function plainLines(output: string): string {
  const text = output.includes(ESCAPE) ? output.replaceAll(COLOUR, '') : output;
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}
