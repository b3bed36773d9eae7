/**
 * An agent that works: `works-in-steps [steps] [delay ms] [trouble file]` adds one line per step to
 * WORK.md in its folder. If it is started again, it continues from what is there. A word in the
 * trouble file causes a failure before the next step: `limit`, `network`, `memory` or `lie`. With `hold N` it
 * waits before step N until the line is gone, so that it can be interrupted there on a busy machine too. Each line of the
 * file is one trouble, and the first one counts. `at N limit` comes before step N.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

const FILE = 'WORK.md';
const HOLD_POLL_MS = 50;
const steps = Number(process.argv[2] ?? 5);
const delayMs = Number(process.argv[3] ?? 0);
const troubleFile = process.argv[4];
const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function readTroubles(): readonly string[] {
  if (troubleFile === undefined) return [];
  try {
    return readFileSync(troubleFile, 'utf8').trim().split('\n');
  } catch {
    return []; // there is no file, or it was removed just now
  }
}

function takeTrouble(step: number): string | undefined {
  const [first = '', ...later] = readTroubles();
  const [, at, word] = /^(?:at (\d+) )?(\w+)$/.exec(first) ?? [];
  const isDue = at === undefined || Number(at) === step;
  if (troubleFile === undefined || word === undefined || !isDue) return undefined;
  if (later.length === 0) rmSync(troubleFile, { force: true });
  else writeFileSync(troubleFile, later.join('\n'));
  return word;
}

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/**
 * A real failure: V8 kills a Node with little memory, and this process ends with the same signal.
 */
function useUpMemory(): never {
  const greedy = 'for (const held = []; ; ) held.push(new Array(1_000_000).fill(0.5))';
  const { signal } = spawnSync(process.execPath, ['--max-old-space-size=16', '-e', greedy], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.kill(process.pid, signal ?? 'SIGKILL');
  for (;;); // until the signal arrives
}

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

const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
const done = text.split('\n').filter((line) => line !== '').length;
emit({
  type: 'text',
  text: done === 0 ? 'I begin.' : `I see ${done} of ${steps} steps done and continue.`,
});
for (let step = done + 1; step <= steps; step += 1) {
  await pause(delayMs);
  while (readTroubles()[0] === `hold ${step}`) await pause(HOLD_POLL_MS);
  const trouble = takeTrouble(step);
  if (trouble === 'limit')
    fail(
      'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Limited."}}',
    );
  if (trouble === 'network') fail('Error: connect ECONNREFUSED 127.0.0.1:443');
  if (trouble === 'memory') useUpMemory();
  if (trouble === 'lie') break;
  append(`step ${step}\n`);
  emit({ type: 'tool', name: 'write', path: FILE });
  emit({ type: 'text', text: `step ${step} of ${steps}` });
}
emit({ type: 'result', summary: `${steps} steps are done` });
