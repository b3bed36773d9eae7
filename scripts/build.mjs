/** `npm run build`: dist/ from nothing, so that a file removed from src/ is not published. */
import fs from 'node:fs';
import { join } from 'node:path';
import { become } from './run.mjs';
import { root, setup, toolEnv } from './setup.mjs';

async function build() {
  const node24 = await setup();
  fs.rmSync(join(root, 'dist'), { recursive: true, force: true });
  // They run in the projects of others, on whatever Node or Python those have: nothing compiles them.
  const runners = join('test-reports', 'runners');
  fs.cpSync(join(root, 'src', runners), join(root, 'dist', runners), { recursive: true });
  const tsc = join(root, 'node_modules/.bin/tsc');
  become(node24, [tsc, '-p', join(root, 'tsconfig.build.json')], toolEnv());
}

void build();
