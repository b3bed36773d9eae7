/** `npm run check`: the static gate. All parts run, each gets a line; only a red one is quoted. */
import { spawn } from 'node:child_process';
import { root, setup, toolEnv } from './setup.mjs';

const QUOTING = [
  'test/docs/twins.test.ts',
  'test/bugs/bugs.test.ts',
  'test/simulate/plants.test.ts',
  'test/abuse/cases.test.ts',
];

const PARTS = [
  ['format', ['node_modules/.bin/oxfmt', '--check'], 'npm run format'],
  ['lint', ['node_modules/.bin/oxlint']],
  ['types', ['node_modules/.bin/tsc', '-p', '.']],
  ['types of web', ['node_modules/.bin/tsc', '-p', 'web']],
  ['commits', ['scripts/check-commits.mjs']],
  ['dead code', ['node_modules/.bin/knip']],
  ['architecture', ['--test', '--test-reporter=spec', 'test/architecture.test.ts']],
  // A setting that is added without a rule for projects is refused there, until it has one.
  ['project rules', ['--test', '--test-reporter=spec', 'src/config/project-rules.test.ts']],
  ['prose', ['test/prose/main.ts']],
  // Documents and tables name tests and quote texts. A rename must not leave them behind.
  ['quotations', ['--test', '--test-reporter=spec', ...QUOTING]],
];

function run(node24, [name, args, remedy]) {
  const begun = Date.now();
  return new Promise((resolve) => {
    const child = spawn(node24, args, {
      cwd: root,
      env: toolEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✔' : '✖'} ${name.padEnd(13)}${seconds.padStart(5)} s`);
      resolve({ name, red: code !== 0, output, remedy });
    });
  });
}

async function check() {
  const node24 = await setup();
  const results = await Promise.all(PARTS.map((part) => run(node24, part)));
  const red = results.filter((result) => result.red);
  for (const { name, output, remedy } of red) {
    console.log(
      `\n── ${name}${remedy === undefined ? '' : ` (fix with: ${remedy})`}\n${output.trim()}`,
    );
  }
  console.log(
    red.length === 0 ? 'All green.' : `\nRed: ${red.map(({ name }) => name).join(', ')}.`,
  );
  process.exitCode = red.length === 0 ? 0 : 1;
}

void check();
