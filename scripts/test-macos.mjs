/**
 * `npm run test:macos`: runs the Seatbelt sandbox for real. CI has no Mac and compares only the text of the profile,
 * so a person with a Mac runs this. It prints what held and what did not, for a report.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, setup, toolEnv } from './setup.mjs';

/** Each is a part of the report. All of them run, even if one fails. */
const PARTS = [
  {
    name: 'what Seatbelt blocks and allows',
    args: ['src/cli/main.ts', 'sandbox', 'check', '--backend', 'seatbelt'],
  },
  { name: 'the tests of the sandbox', args: ['scripts/test.mjs', 'src/sandbox'] },
];

async function main() {
  if (process.platform !== 'darwin') {
    process.stderr.write(
      `npm run test:macos needs macOS, because it runs sandbox-exec. This is ${process.platform}.\n`,
    );
    process.exit(2);
  }
  const node24 = await setup();
  const failed = PARTS.filter(({ name, args }) => {
    process.stdout.write(`\n── ${name}\n`);
    const [script, ...rest] = args;
    const { status } = spawnSync(node24, [join(root, script), ...rest], {
      cwd: root,
      stdio: 'inherit',
      env: toolEnv(),
    });
    return status !== 0;
  });
  const names = failed.map(({ name }) => name).join(', ');
  process.stdout.write(failed.length === 0 ? '\nAll held.\n' : `\nDid not hold: ${names}.\n`);
  process.exit(failed.length === 0 ? 0 : 1);
}

void main();
