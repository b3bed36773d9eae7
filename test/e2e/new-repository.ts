/** A new repository on a machine with claude, which has a key, and codex, which has none. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { CliHarness } from './cli-process-harness.ts';

export type Files = Readonly<Record<string, string>>;

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

type NewRepository = AsyncDisposable & {
  readonly harness: CliHarness;
  readonly env: NodeJS.ProcessEnv;
  readonly config: string;
};

export async function newRepository(files: Files): Promise<NewRepository> {
  const harness = await CliHarness.create();
  const bin = join(harness.dir, 'bin');
  await write(bin, { claude: '#!/bin/sh\necho 2.1.325\n', codex: '#!/bin/sh\necho 0.166.0\n' });
  for (const name of ['claude', 'codex']) await chmod(join(bin, name), 0o755);
  execFileSync('git', ['init', '--quiet'], { cwd: harness.project });
  await write(harness.project, files);
  return {
    harness,
    env: {
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: harness.dir,
      ANTHROPIC_API_KEY: 'sk-test',
    },
    config: join(harness.project, '.supervisor/config.yaml'),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}
