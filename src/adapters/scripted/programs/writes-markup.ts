/**
 * An agent whose words, files and names of files are markup with scripts. It answers as an implementer. A page that shows
 * its work must show all of it as text.
 */
import { writeFileSync } from 'node:fs';

const RUNS = 'globalThis.wasRun = true';
const IMAGE = `<img src=x onerror="${RUNS}">`;

const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

emit({ type: 'text', text: `</pre></script><script>${RUNS}</script>${IMAGE}` });
emit({
  type: 'text',
  text: `A link: javascript:${RUNS} and \u001B]0;a title\u0007 of a terminal.`,
});
writeFileSync(`${IMAGE.replaceAll('"', "'")}.html`, `<script>${RUNS}</script>\n${IMAGE}\n`);
writeFileSync('a plain name.txt', `{{constructor.constructor("${RUNS}")()}}\n`);
const answer = { status: 'SUCCESS', files_created: [], files_modified: [], tests_written: [] };
const block = ['```json', JSON.stringify(answer), '```'].join('\n');
emit({ type: 'result', summary: `<b>Done</b> ${IMAGE}\n${block}` });
