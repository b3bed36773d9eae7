/**
 * An owner that starts one sandboxed command and waits to be killed. It prints when the command has
 * begun.
 */
import { runScript } from './setup.ts';
import type { Backend } from '../../src/sandbox/policy.ts';

const [backend = 'bubblewrap', image = '', work = '', manner = 'meek'] = process.argv.slice(2);
const SCRIPTS: Readonly<Record<string, string>> = {
  meek: '(setsid sleep 600 >/dev/null 2>&1 &); echo begun; sleep 600',
  /**
   * Kills everything that it sees but itself, and continues: any process that waits inside for our
   * end is gone.
   */
  hostile: `kill_all() { for d in /proc/[0-9]*; do p=\${d#/proc/}; [ "$p" = 1 ] || [ "$p" = $$ ] || kill -9 "$p"; done 2>/dev/null; }
trap '' HUP INT TERM
kill_all; kill_all; echo begun; while :; do kill_all; sleep 0.1; done`,
};
await runScript(work, SCRIPTS[manner] ?? '', {
  backend: backend as Backend,
  image: image === '' ? null : image,
  onStdout: (text) => {
    if (text === 'begun\n') process.stdout.write(text);
  },
});
