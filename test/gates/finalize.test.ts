/** The finalize command at the end of a run, whichever process died before it. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeStaging, readArtifacts } from '../../src/execution/collect-artifacts.ts';
import type { CommittedAttempt } from '../../src/execution/committed-attempt.ts';
import { finalizePerformer } from '../../src/execution/perform-finalize.ts';
import type { RunId } from '../../src/base/ids.ts';
import { commandKey } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { which } from '../../src/host/process/which.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import { notesOf, SandboxedHarness } from '../real/sandboxed-harness.ts';

const RUN = 'a000000000' as RunId;
const git = which('git', process.env) ?? '';
const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

type Finalized = { readonly result: unknown; readonly notes: readonly Record<string, Json>[] };

async function finalize(dir: string, attempt: number, saved: CommittedAttempt): Promise<Finalized> {
  const notes: Record<string, Json>[] = [];
  const performer = finalizePerformer({
    clock: systemClock,
    stateDir: join(dir, 'home'),
    userDir: '/nonexistent',
    git,
    tagOf: (run, key) => `finalize-test:${process.pid}/${run}/${key}`,
    findCommit: async () => saved,
  });
  const never = new AbortController().signal;
  const result = await performer.perform(
    {
      run: RUN,
      key: commandKey('finalize-1'),
      input: {
        project: join(dir, 'project'),
        attempt,
        outcome: { kind: 'unverified', reason: 'done' },
      },
    },
    { cancelSignal: never, killSignal: never, note: async (fact) => void notes.push({ ...fact }) },
  );
  return { result, notes };
}

describe('finalization', { timeout: 300_000 }, () => {
  const inProject: CommittedAttempt = { kind: 'in-project' };

  test('commits the tree of an attempt that died without recording it, and does so once', async () => {
    await using dir = await tempDir();
    const [home, path] = [join(dir.path, 'home'), join(dir.path, 'project')];
    const ports = {
      git,
      clock: systemClock,
      tag: `finalize-test:${process.pid}`,
      userHome: '/nonexistent',
    };
    await mkdir(path);
    const workspace = await createWorkspace({ path, home, run: RUN, attempt: 1 }, ports);
    await writeFile(join(workspace.work, 'half'), 'done');
    workspace.release();
    const first = await finalize(dir.path, 1, inProject);
    assert.deepEqual(first.result, { kind: 'finalized', artifacts: 0, bytes: 0, refused: 0 });
    assert.deepEqual(
      first.notes.map(({ kind, names }) => [kind, names]),
      [['committed', ['half']]],
    );
    const [commit] = first.notes.map((note) => note['commit']);
    const again = await finalize(dir.path, 1, inProject);
    assert.deepEqual(
      again.notes.map((note) => note['commit']),
      [commit],
    );
    assert.ok(typeof commit === 'string');
    const saved: CommittedAttempt = { kind: 'committed', workspace: workspace.id, commit };
    assert.deepEqual((await finalize(dir.path, 1, saved)).notes, []);
  });

  test('has nothing to commit for an attempt that worked in the project itself', async () => {
    await using dir = await tempDir();
    await writeFile(join(await makeStaging(join(dir.path, 'home'), RUN, 'attempt-1'), 'a'), 'x');
    await mkdir(join(dir.path, 'project'));
    const { result, notes } = await finalize(dir.path, 1, inProject);
    assert.deepEqual(result, { kind: 'finalized', artifacts: 1, bytes: 1, refused: 0 });
    assert.deepEqual(notes, []);
    assert.deepEqual(await readdir(join(dir.path, 'home/artifacts', RUN)), ['collected']);
  });

  test('reports what it could not do, and does the rest', async () => {
    await using dir = await tempDir();
    const [home, path] = [join(dir.path, 'home'), join(dir.path, 'project')];
    const ports = {
      git,
      clock: systemClock,
      tag: `finalize-test:${process.pid}`,
      userHome: '/nonexistent',
    };
    await mkdir(path);
    const workspace = await createWorkspace({ path, home, run: RUN, attempt: 1 }, ports);
    workspace.release();
    await writeFile(join(await makeStaging(home, RUN, 'attempt-1'), 'a'), 'x');
    const [project = ''] = await readdir(join(home, 'projects'));
    await rm(join(home, 'projects', project, 'vault.git', 'objects'), { recursive: true });
    const { result } = await finalize(dir.path, 1, inProject);
    assert.match(JSON.stringify(result), /^\{"kind":"unfinished","message":"Refusal: git /);
    assert.equal(existsSync(workspace.work), true);
    assert.deepEqual(
      (await readArtifacts(home, RUN)).map(({ files }) => files.length),
      [1],
    );
  });

  test('does not need a project that is gone', async () => {
    await using dir = await tempDir();
    const { result } = await finalize(dir.path, 1, inProject);
    assert.deepEqual(result, { kind: 'finalized', artifacts: 0, bytes: 0, refused: 0 });
  });
});

test(
  'a run that was stopped after its owner died has its work and its artifacts',
  { skip, timeout: 300_000 },
  async () => {
    const script = 'echo half >half.txt; echo 1 >"$SUPERVISOR_ARTIFACTS/report"; sleep 600';
    const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-c', script] }];
    await using at = await SandboxedHarness.create({ config: { agents } });
    const run = await at.submit('mine', { set: ['attempt.interruptions_max=0'] });
    const staged = join(at.home, 'artifacts', run, 'staging', 'attempt-1', 'report');
    await eventually('its report', () => existsSync(staged) && statSync(staged).size > 0);
    await at.closeOwner(); // the next owner sees its commands as interrupted
    await at.openOwner();
    const facts = await at.factsOf(run);
    const last = facts.at(-1);
    assert.equal(last?.type === 'run.ended' ? last.payload.outcome.kind : last?.type, 'exhausted');
    assert.deepEqual(
      notesOf(facts, 'committed').map(({ names }) => names),
      [['half.txt']],
    );
    assert.match((await at.client.diff(run)).text, /^\+half$/m);
    assert.deepEqual((await at.client.artifacts(run)).files, [
      { attempt: 'attempt-1', path: 'report', bytes: 2 },
    ]);
  },
);
