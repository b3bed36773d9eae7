/** Runs one sandboxed command that prints every environment it can see. */
import type { Backend } from '../../src/sandbox/policy.ts';
import { runScript } from './setup.ts';

const [backend = 'bubblewrap', image = '', work = ''] = process.argv.slice(2);
const script = `env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'`;
const reported = await runScript(work, script, {
  backend: backend as Backend,
  image: image === '' ? null : image,
});
process.stdout.write(reported.stdout);
