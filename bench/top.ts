/**
 * The dashboard of the terminal: how soon its first frame is there, and how much processor time a frame takes. The list
 * has 1,000 runs, and each frame differs from the last one.
 */
import { spawn } from 'node:child_process';
import { boardRow, topState, UNICODE } from '../test/support/top-fixture.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { draw } from '../src/tui/draw.ts';
import { frameUpdate } from '../src/tui/frame.ts';
import { press } from '../src/tui/press.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';
import { installInto } from './installed.ts';

const FRAMES = 200;
const RUNS = 1000;
const STARTS = 9;
const SIZES = [
  [60, 15],
  [200, 50],
] as const;

export async function figures(): Promise<readonly Figure[]> {
  const frames = SIZES.map(([columns, rows]): Figure => ({
    name: `top: a frame of ${columns}×${rows}`,
    ...{
      value: cpuOfFrames(columns, rows),
      unit: 'ms',
      yardstick: `processor time, ${RUNS} runs`,
      atMost: 1,
    },
  }));
  const first = await firstFrames();
  return [
    ...frames,
    {
      name: 'top: first frame',
      value: first.topMs,
      unit: 'ms',
      yardstick: 'from the start of the command',
      atMost: 120,
    },
    {
      name: 'top: first frame, ratio',
      value: first.topMs / first.nodeMs,
      unit: '×',
      yardstick: 'node -e 0',
    },
  ];
}

function cpuOfFrames(columns: number, rows: number): number {
  const many = Array.from({ length: RUNS }, (_, nth) =>
    boardRow(nth.toString(16).padStart(10, '0'), `Task ${nth} of a list that is long`),
  );
  let state = topState(columns, rows, [], many);
  let before: readonly string[] | null = null;
  let written = 0;
  const frame = (): void => {
    state = press({ ...state, now: state.now + 1000 }, { kind: 'text', text: 'j' }).state;
    const lines = draw(state, { ...UNICODE, hasColour: true });
    written += frameUpdate(before, lines).length;
    before = lines;
  };
  for (let nth = 0; nth < FRAMES; nth += 1) frame(); // compiles
  const start = process.cpuUsage();
  for (let nth = 0; nth < FRAMES; nth += 1) frame();
  const { user, system } = process.cpuUsage(start);
  if (written === 0) throw new Error('no frame was written');
  return (user + system) / 1000 / FRAMES;
}

/** At a terminal that `script` makes, until the first line of the screen has arrived. */
async function firstFrames(): Promise<{ readonly topMs: number; readonly nodeMs: number }> {
  await using folder = await tempDir();
  const door = installInto(folder.path);
  const env = {
    ...process.env,
    SUPERVISOR_HOME: `${folder.path}/home`,
    TERM: 'xterm',
    LANG: 'C.UTF-8',
  };
  const until = (args: readonly string[], text: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      const command = ['exec', process.execPath, ...args]
        .map((word) => `'${word}'`)
        .join(' ')
        .replace("'exec'", 'exec');
      const child = spawn('script', ['-qefc', command, '/dev/null'], { env });
      let [shown, took] = ['', Number.NaN];
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        shown += more;
        if (!Number.isNaN(took) || !shown.includes(text)) return;
        took = performance.now() - start;
        child.stdin.write('q');
      });
      child.on('close', () =>
        Number.isNaN(took) ? reject(new Error(`never showed ${text}: ${shown}`)) : resolve(took),
      );
    });
  const owner = await until([door, 'status'], 'No ');
  if (Number.isNaN(owner)) throw new Error('no owner');
  const taken = { top: [] as number[], node: [] as number[] };
  for (let nth = 0; nth < STARTS + 1; nth += 1) {
    taken.node.push(await until(['-e', 'console.log("here")'], 'here'));
    taken.top.push(await until([door, 'top'], 'Supervisor'));
  }
  const stopped = spawn(process.execPath, [door, 'owner', 'stop'], { env, stdio: 'ignore' });
  await new Promise((resolve) => stopped.on('close', resolve));
  return { topMs: median(taken.top.slice(1)), nodeMs: median(taken.node.slice(1)) };
}
