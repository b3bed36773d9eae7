/** Abuse cases of a sandbox, each named by its case; `test/abuse/cases.ts` lists them all. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PROBES, runProbes } from '../../src/sandbox/probes/run-probes.ts';
import type { TestEngine } from './docker-engine.ts';
import { dockerEngine } from './docker-engine.ts';
import { testSharedAbuse } from './shared-abuse.ts';
import { missing, noBubblewrap, portsFor, runScript, workFolder } from './setup.ts';

/** Cases that only probes show. */
const PROBED: Readonly<Record<string, readonly string[]>> = {
  'case 1: a link out leads nowhere': ['write-outside', 'write-through-link', 'write-etc'],
  'case 3: there is no file outside to link to': ['hard-link'],
  'case 13: secrets in files are not there': [
    'read-secret',
    'climb-out',
    'search-everywhere',
    'read-shadow',
    'shared-tmp',
  ],
  'case 18: sockets of engines, buses and key agents are not there': [
    'engine-sockets',
    'reach-socket',
    'reach-abstract',
  ],
  'case 19: no address can be reached': [
    'reach-loopback',
    'reach-loopback-2',
    'reach-loopback-6',
    'reach-mapped',
    'reach-metadata',
  ],
  'case 21: no name can be asked for': ['resolve-name', 'have-route', 'see-interfaces'],
  'case 35: processes outside can be neither seen nor touched': [
    'attach-other',
    'read-other-memory',
    'signal-other',
    'see-others',
    'read-environment',
  ],
  'case 36: the kernel shows little of its surface': [
    'write-sysctl',
    'new-user-namespace',
    'clone-user-namespace',
    'mount-tmpfs',
    'call-bpf',
    'call-keyctl',
    'call-io-uring',
    'call-perf',
    'call-kexec',
    'call-set-namespace',
  ],
};

describe('in bubblewrap', { skip: noBubblewrap() }, () => {
  testSharedAbuse(() => ({ backend: 'bubblewrap' }));

  for (const [name, ids] of Object.entries(PROBED)) {
    test(name, async () => {
      const probes = PROBES.filter(({ id }) => ids.includes(id));
      assert.equal(probes.length, ids.length);
      const tag = `abuse-${process.pid}/${ids[0]}`;
      const { rows, hits, secretSeen } = await runProbes(probes, portsFor('bubblewrap'), { tag });
      assert.deepEqual(
        rows.filter(({ verdict }) => verdict !== 'good'),
        [],
      );
      assert.deepEqual([hits, secretSeen], [0, false]);
    });
  }

  test('case 6: a pinned .git can not be moved, nor its hooks and settings changed', async () => {
    await using work = await workFolder();
    const git = join(work.path, '.git');
    mkdirSync(join(git, 'hooks'), { recursive: true });
    writeFileSync(join(git, 'config'), '');
    spawnSync('chown', ['-R', '--reference', work.path, git]);
    const policy = { write: [work.path, git], read: [join(git, 'hooks'), join(git, 'config')] };
    const script =
      'mv .git git2; echo x >.git/hooks/pre-commit; echo x >.git/config; echo x >.git/HEAD; ls -A .git .git/hooks; cat .git/config';
    const { stdout } = await runScript(work.path, script, { policy });
    assert.equal(stdout, '.git:\nHEAD\nconfig\nhooks\n\n.git/hooks:\n');
  });

  test('case 28: files without content count against the disk limit too, and end the command', async () => {
    await using work = await workFolder();
    const script =
      'i=0; while :; do i=$((i + 1)); mkdir "$i"; (cd "$i" && touch $(seq 1000)); sleep 0.05; done';
    const diskBytes = 40_000_000;
    const { endedBy } = await runScript(work.path, script, {
      limits: { diskBytes, timeMs: 120_000 },
    });
    assert.equal(endedBy, 'disk-limit');
    const { stdout } = spawnSync('du', ['-s', '--block-size=1', work.path], { encoding: 'utf8' });
    assert.ok(Number.parseInt(stdout, 10) < diskBytes, `${stdout.trim()}: bytes were enough`);
  });

  test('case 37: it has a session of its own and no terminal', async () => {
    await using work = await workFolder();
    const { stdout } = await runScript(
      work.path,
      'read -r _ _ _ _ group session tty _ </proc/self/stat; echo "$tty"; cat </dev/tty || echo none',
    );
    assert.equal(stdout, '0\nnone\n');
  });

  test('case 38: our own tools do not come from the folders of an agent', async () => {
    await using work = await workFolder();
    for (const tool of ['sh', 'bash', 'bwrap', 'setpriv', 'unshare', 'mount', 'docker', 'node']) {
      writeFileSync(join(work.path, tool), `#!/bin/sh\ntouch ${work.path}/hijacked\n`, {
        mode: 0o755,
      });
    }
    const env = {
      ...process.env,
      PATH: `${work.path}:${process.env['PATH']}`,
      BASH_ENV: join(work.path, 'sh'),
      ENV: join(work.path, 'sh'),
    };
    const { exit } = await runScript(work.path, 'exit 4', { env });
    assert.deepEqual(exit, { kind: 'code', code: 4 });
    assert.equal(readdirSync(work.path).includes('hijacked'), false);
  });
});

describe('in docker', () => {
  let engine: TestEngine | undefined;
  before(async () => {
    engine = await dockerEngine((why) => missing(`docker (${why})`));
  });
  after(() => engine?.[Symbol.asyncDispose]());
  testSharedAbuse(() =>
    engine === undefined
      ? undefined
      : {
          backend: 'docker',
          image: engine.image,
          env: { ...process.env, DOCKER_HOST: engine.host },
        },
  );
});
