/**
 * An agent at work: `works-in-steps [steps] [delay ms]` adds one line a step to WORK.md in its
 * folder. Started again, it sees what is there and goes on from it.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const FILE = 'WORK.md';
const steps = Number(process.argv[2] ?? 5);
const delayMs = Number(process.argv[3] ?? 0);
const say = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const done = text.split('\n').filter((line) => line !== '').length;
say({
  type: 'text',
  text: done === 0 ? 'I begin.' : `I see ${done} of ${steps} steps done and go on.`,
});
for (let step = done + 1; step <= steps; step += 1) {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  appendFileSync(FILE, `step ${step}\n`);
  say({ type: 'tool', name: 'write', path: FILE });
  say({ type: 'text', text: `step ${step} of ${steps}` });
}
say({ type: 'result', summary: `${steps} steps are done` });
