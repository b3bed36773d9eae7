/** `npm run build`: dist/ from nothing, so that a file removed from src/ is not published. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { root, setup, toolEnv } from './setup.mjs';

async function build() {
  const node24 = await setup();
  fs.rmSync(join(root, 'dist'), { recursive: true, force: true });
  // They run in the projects of others, on whatever Node or Python those have: nothing compiles them.
  const runners = join('test-reports', 'runners');
  fs.cpSync(join(root, 'src', runners), join(root, 'dist', runners), { recursive: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  const compiled = spawnSync(node24, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
    env: toolEnv(),
  });
  if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  // The page of the dashboard: `supervisor dashboard` builds it the same way in a checkout.
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const built = spawnSync(node24, [vite, 'build', join(root, 'web'), '--logLevel', 'error'], {
    stdio: 'inherit',
    env: toolEnv(),
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
  writeManPage(node24);
}

/** The built command prints its own manual page, so the page has exactly its options. */
function writeManPage(node24) {
  const args = [join(root, 'dist/cli/main.js'), 'man'];
  const printed = spawnSync(node24, args, { encoding: 'utf8', env: toolEnv() });
  if (printed.status !== 0) {
    process.stderr.write(printed.stderr);
    process.exit(1);
  }
  fs.mkdirSync(join(root, 'man'), { recursive: true });
  fs.writeFileSync(join(root, 'man/supervisor.1'), printed.stdout);
}

void build();
