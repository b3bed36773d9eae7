/** An owner that starts one sandboxed command and waits to be killed. It says when the command has begun. */
import { runScript } from './setup.ts';
import type { Backend } from '../../src/sandbox/policy.ts';

const [backend = 'bubblewrap', image = '', work = ''] = process.argv.slice(2);
await runScript(work, '(setsid sleep 600 >/dev/null 2>&1 &); echo begun; sleep 600', {
  backend: backend as Backend,
  image: image === '' ? null : image,
  onStdout: (text) => {
    if (text === 'begun\n') process.stdout.write(text);
  },
});
