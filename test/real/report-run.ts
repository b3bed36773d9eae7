/** Runs a real test runner on a small project, outside any sandbox, with our reporters attached. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import { attachReporter } from '../../src/test-reports/attach-runner.ts';
import { openReports } from '../../src/test-reports/collect-reports.ts';
import type { ReportVerdict } from '../../src/test-reports/test-report.ts';
import { judgeReports } from '../../src/test-reports/test-report.ts';
import { tempDir } from '../support/temp-dir.ts';

export type Files = Readonly<Record<string, string>>;
export type Runner = 'jest' | 'vitest' | 'mocha';
export type Run = ReportVerdict & { readonly exit: number | null; readonly said: string };

/** Where jest, vitest and mocha are. */
export const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url));
const BIN = join(PACKAGES, '.bin');

/**
 * Options of a test that needs these runners: it is skipped with a reason on a machine that lacks
 * them.
 */
export function needs(...runners: readonly string[]): { readonly skip?: string } {
  const missing = runners.filter((name) => !existsSync(join(BIN, name)));
  return missing.length === 0
    ? {}
    : { skip: `missing: ${missing.join(', ')}; npm ci --prefix test/real installs them` };
}

/** `line` is for a shell, in a folder with these files and the real packages. */
export async function runReported(runner: Runner, line: string, files: Files): Promise<Run> {
  await using dir = await tempDir();
  for (const [path, text] of Object.entries({ 'package.json': '{}', ...files })) {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await writeFile(join(dir.path, path), text);
  }
  await symlink(PACKAGES, join(dir.path, 'node_modules'));
  const ports = { clock: systemClock, random: systemRandom, namePrefix: 'supervisor-test-' };
  await using reports = await openReports(ports);
  const path = [BIN, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const env = attachReporter({ PATH: path, HOME: dir.path, CI: '1' }, reports.folder);
  const child = spawn('sh', ['-c', line], {
    cwd: dir.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString('utf8')));
  const exit = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { exit, said: output, ...judgeReports(await reports.sessions(), [runner]) };
}
