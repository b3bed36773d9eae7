/**
 * What a scripted agent is at a terminal: `talks-at-a-terminal <conversation>` appends each line that a person types to
 * NOTES.md. `size` prints the size of the window, and `exit` ends it.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , conversation = 'new'] = process.argv;
const { stdin, stdout } = process;

stdout.write(`This is the scripted agent, conversation ${conversation}.\n> `);
for await (const line of createInterface({ input: stdin })) {
  if (line === 'exit') break;
  if (line === 'size') stdout.write(`${stdout.rows} x ${stdout.columns}\n> `);
  else {
    appendFileSync('NOTES.md', `${line}\n`);
    stdout.write(`noted: ${line}\n> `);
  }
}
stdout.write('bye\n');
process.exit(0);
