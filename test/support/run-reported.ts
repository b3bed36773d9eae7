/**
 * Runs a test runner on some files as a gate would, outside any sandbox, and returns its report.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import { which } from '../../src/host/process/which.ts';
import { attachReporter } from '../../src/test-reports/attach-runner.ts';
import { openReports } from '../../src/test-reports/collect-reports.ts';
import type { ReportVerdict } from '../../src/test-reports/test-report.ts';
import { judgeReports } from '../../src/test-reports/test-report.ts';
import { tempDir } from './temp-dir.ts';

export type Reported = ReportVerdict & { readonly exit: number | null; readonly output: string };

export type Suite = {
  readonly command: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** The runners that the command is known to start. */
  readonly expected: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export async function runReported({ command, files, expected, env }: Suite): Promise<Reported> {
  await using dir = await tempDir();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await writeFile(join(dir.path, path), text);
    if (text.startsWith('#!')) await chmod(join(dir.path, path), 0o755);
  }
  const ports = { clock: systemClock, random: systemRandom, namePrefix: 'supervisor-test-' };
  await using reports = await openReports(ports);
  const own = { PATH: process.env['PATH'] ?? '', HOME: dir.path, LANG: 'C.UTF-8', ...env };
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: dir.path,
    env: attachReporter(own, reports.folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { exit, output, ...judgeReports(await reports.sessions(), expected) };
}

/** The first of these commands that works on this machine. */
export function firstThatWorks(
  commands: readonly (readonly string[])[],
): readonly string[] | undefined {
  return commands.find(([program = '', ...args]) => {
    if (!program.startsWith('/') && which(program, process.env) === undefined) return false;
    return spawnSync(program, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
  });
}
