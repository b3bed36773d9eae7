/** A real disk that is really full: four megabytes in memory that only one process sees. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/journal-files.ts';

const script = fileURLToPath(new URL('children/fills-disk.ts', import.meta.url));
/** In separate namespaces, so that an ordinary user may mount it and it needs no unmount. */
const MOUNT = 'mount -t tmpfs -o size=4m none "$1" && shift && exec "$@"';

test(
  'case 55: a full disk is reported, costs no acknowledged fact, and passes when there is space',
  { timeout: 300_000 },
  (t) => {
    using folder = temporaryFolder();
    const inside = ['sh', '-c', MOUNT, 'sh', folder.path, process.execPath, script, folder.path];
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      ['--user', '--map-root-user', '--mount', ...inside],
      { encoding: 'utf8' },
    );
    if (status !== 0 && /unshare|mount/.test(stderr) && process.env['CI'] === undefined)
      return t.skip(`no disk can be made here: ${stderr.trim()}`);
    assert.equal(status, 0, stderr);
    const { refused, acknowledged, sound, found } = JSON.parse(stdout) as {
      refused: string[];
      acknowledged: number[];
      sound: string;
      found: number[];
    };
    assert.deepEqual([...new Set(refused)], ['store.full']);
    assert.ok(refused.length >= 30 && acknowledged.length > 30, `${refused.length} refusals`);
    assert.deepEqual([sound, found], ['ok', acknowledged]);
    t.diagnostic(`${refused.length} refusals, ${acknowledged.length} facts`);
  },
);
