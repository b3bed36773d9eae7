/**
 * An agent that works in turns. `lives-in-turns ANSWER…` gives its first answer in its first turn,
 * the next in the next, and repeats the last one forever. It counts its turns in TURNS.md in its
 * folder and writes its prompts there. Instead of an answer, `crash` makes it die and `sleep` makes
 * it work until it is stopped. With `a|||b` it says a, calls a tool, and then says b.
 */
import { appendFileSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';

const FILE = 'TURNS.md';
const answers = process.argv.slice(2);
const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

/**
 * A link of that name in the project could point to any file of the user, and no sandbox holds this
 * program. So it does not follow links.
 */
function append(text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(FILE, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
  appendFileSync(file, text);
  closeSync(file);
}

const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const turns = before.split('\n').filter((line) => line.startsWith('## turn ')).length;
append(`## turn ${turns + 1}\n${readFileSync(0, 'utf8').replaceAll('## ', '')}\n`);
emit({ type: 'tool', name: 'write', path: FILE });
const answer = answers[Math.min(turns, answers.length - 1)] ?? 'DONE';
if (answer === 'crash') process.exit(3);
if (answer === 'sleep') await new Promise((resolve) => setTimeout(resolve, 3_600_000));
const parts = answer.replaceAll('\\n', '\n').split('|||');
for (const text of parts.slice(0, -1)) {
  emit({ type: 'text', text });
  emit({ type: 'tool', name: 'write', path: FILE });
}
emit({ type: 'result', summary: parts.at(-1) });
