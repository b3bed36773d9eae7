/**
 * An agent that does what its task says, for components of features: `WRITE a.txt: text` writes a file, and
 * `EXTEND a.txt: word` adds a word to the last line of one. So two components that extend the same line are in conflict.
 * `NOTE: text` leaves a note for the components that wait for it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const written: string[] = [];

for (const [, file = '', text = ''] of prompt.matchAll(/\bWRITE ([\w.-]+): ([^.\n]+)/g)) {
  writeFileSync(file, `${text}\n`);
  written.push(file);
}
for (const [, file = '', word = ''] of prompt.matchAll(/\bEXTEND ([\w.-]+): (\w+)/g)) {
  const found = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
  // The task appears more than once in a prompt.
  if (!found.endsWith(word)) writeFileSync(file, `${found} ${word}\n`);
  written.push(file);
}

const files = [...new Set(written)];
const notes = [...prompt.matchAll(/\bNOTE: ([^.\n]+)/g)].map(([, note = '']) => note);
const answer = {
  ...{ status: 'SUCCESS', files_created: files, files_modified: [], tests_written: [] },
  ...(notes.length === 0 ? {} : { notes: [...new Set(notes)] }),
};
const block = ['```json', JSON.stringify(answer, null, 2), '```'].join('\n');
process.stdout.write(
  `${JSON.stringify({ type: 'result', summary: `I wrote ${files.join(', ')}.\n${block}` })}\n`,
);
