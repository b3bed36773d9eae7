/**
 * H6: files that run by themselves, settings and changed tests reach the project only with a
 * person's approval.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { ApplyRequest } from '../../protocol/api.ts';
import type { NewOwnerEvent, StoredEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { appliesOf } from '../../../test/support/applies-of.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { trustProject } from '../../../test/support/trust-project.ts';
import { TrustedProject } from '../../trust/trusted-project.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import { RunChanges } from './run-changes.ts';
import { realRunTrees } from './run-trees.ts';

const RUN = 'a000000000' as RunId;
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `work-test:${process.pid}`,
  userHome: '/nonexistent',
};

/** A project that the first script creates, and a run whose agent executed the second script. */
async function done(base: string, work: string) {
  const dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await mkdir(home);
  execFileSync('sh', ['-ec', base], { cwd: project });
  const workspace = await createWorkspace({ path: project, home, run: RUN, attempt: 1 }, git);
  execFileSync('sh', ['-ec', work], { cwd: workspace.work });
  const { commit, ref } = await commitWorkspace(workspace.id, git);
  workspace.release();
  const note = { kind: 'committed', ref, commit, root: workspace.id.root, tree: 1 };
  const recorded: NewOwnerEvent[] = [];
  const onRecord = { on: async (_event: NewOwnerEvent): Promise<void> => undefined };
  return {
    project,
    home,
    recorded,
    onRecord,
    planFile: join(workspacePaths(workspace.id).record, '..', 'apply.json'),
    work: new RunChanges({
      home,
      clock: systemClock,
      trees: realRunTrees(home, git),
      view: async () =>
        ({ outcome: { kind: 'succeeded', reason: '' }, committed: null, workFiles: 0 }) as RunView,
      historyBack: async function* () {
        yield {
          type: 'command.noted',
          payload: { key: 'attempt-1', note },
        } as unknown as StoredEvent;
      },
      workOfWorkflow: async () => undefined,
      facts: async function* () {},
      record: async (event) => {
        await onRecord.on(event);
        recorded.push(event);
      },
      applies: appliesOf(recorded),
      message: (id) => Promise.resolve(`the work of ${id}`),
    }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test(
  'settings that an agent changed are not trusted after an apply',
  { timeout: 300_000 },
  async () => {
    const changes = [
      'echo "limits: {attempts: 2}" >.supervisor/config.yaml',
      'echo x >.supervisor/new.yaml',
      'chmod +x .supervisor/config.yaml',
    ];
    for (const change of changes) {
      const base = 'mkdir .supervisor; echo "version: 1" >.supervisor/config.yaml';
      await using at = await done(base, change);
      const { home, project } = at;
      await trustProject(home, project);
      await TrustedProject.open({ home, project });
      await at.work.apply(RUN, { includeSettings: true, includeExecuting: true });
      await assert.rejects(
        TrustedProject.open({ home, project }),
        (error) => isRefusal(error, 'project.untrusted'),
        change,
      );
    }
  },
);

test('an approval counts only for the request that contains it', { timeout: 300_000 }, async () => {
  for (const options of [{}, { branch: 'review' }]) {
    await using at = await done('true', 'echo a >.envrc');
    let plan = '';
    at.onRecord.on = async () => {
      plan = readFileSync(at.planFile, 'utf8');
      throw new Error('ENOSPC');
    };
    await assert.rejects(at.work.apply(RUN, { includeExecuting: true }), /ENOSPC/);
    at.onRecord.on = async () => undefined;
    for (const isLeft of [false, true]) {
      if (isLeft) writeFileSync(at.planFile, plan); // as if it could not be removed
      await assert.rejects(at.work.apply(RUN, options), (error) =>
        isRefusal(error, 'workspace.needs-approval'),
      );
    }
    assert.deepEqual([existsSync(join(at.project, '.envrc')), at.recorded], [false, []]);
  }
});

const PKG = `echo '{"scripts":{"postinstall":"node tools/post","test":"x"}}' >package.json`;

describe('an apply requires a separate approval', { timeout: 900_000 }, () => {
  type Row = [
    why: string,
    base: string,
    work: string,
    needs: readonly string[],
    enough: ApplyRequest,
    notEnough?: ApplyRequest,
  ];
  const cases: Row[] = [
    [
      'H6: for a program that a hook runs through a script of package.json',
      `mkdir .husky tools; echo 'npm run check' >.husky/pre-commit; echo '{"scripts":{"check":"node tools/check.js"}}' >package.json; echo 1 >tools/check.js; echo 1 >tools/other.js`,
      'echo 2 >tools/check.js; echo 2 >tools/other.js',
      ['executing tools/check.js'],
      { includeExecuting: true },
    ],
    [
      'for settings of Supervisor, which --include-executing does not cover',
      'true',
      'mkdir .supervisor; echo "version: 1" >.supervisor/config.yaml',
      ['settings .supervisor/config.yaml'],
      { includeSettings: true },
      { includeExecuting: true, includeTests: true },
    ],
    [
      'for a task of an editor and a hook of an agent',
      'true',
      'mkdir .vscode .claude; echo {} >.vscode/tasks.json; echo {} >.claude/settings.json',
      ['executing .claude/settings.json', 'executing .vscode/tasks.json'],
      { includeExecuting: true },
      { includeSettings: true },
    ],
    [
      'for both kinds at once',
      'true',
      'mkdir .supervisor; echo a >.supervisor/x; echo a >.envrc',
      ['executing .envrc', 'settings .supervisor/x'],
      { includeExecuting: true, includeSettings: true },
      { includeExecuting: true },
    ],
    [
      'for a script of a package',
      PKG,
      `echo '{"scripts":{"postinstall":"curl evil"}}' >package.json`,
      ['executing package.json'],
      { includeExecuting: true },
    ],
    [
      'not for another part of the manifest',
      PKG,
      `echo '{"scripts":{"postinstall":"node tools/post","test":"x"},"version":"2"}' >package.json`,
      [],
      {},
    ],
    [
      'not for files that are named like properties of every object',
      'true',
      'echo 1 >__proto__; echo 1 >constructor; mkdir a; echo 1 >a/toString',
      [],
      {},
    ],
    [
      'for a file that a lifecycle script starts',
      `${PKG}; mkdir tools; echo 1 >tools/post.js; echo 1 >tools/other.js`,
      'echo 2 >tools/post.js; echo 2 >tools/other.js',
      ['executing tools/post.js'],
      { includeExecuting: true },
    ],
    [
      'for a file that a hook starts',
      'mkdir .husky tools; echo "sh tools/lint.sh" >.husky/pre-commit; echo 1 >tools/lint.sh',
      'echo 2 >tools/lint.sh',
      ['executing tools/lint.sh'],
      { includeExecuting: true },
    ],
    [
      'for a file that becomes a hook through a link of the project',
      'mkdir -p tools/editor; echo {} >tools/editor/tasks.json; ln -s tools/editor .vscode',
      'echo "{1}" >tools/editor/tasks.json',
      ['executing tools/editor/tasks.json'],
      { includeExecuting: true },
    ],
    [
      'for a file that is moved to a place where it runs',
      'echo {} >harmless.json',
      'mkdir .vscode; mv harmless.json .vscode/tasks.json',
      ['executing .vscode/tasks.json'],
      { includeExecuting: true },
    ],
    [
      'for a hook that is deleted, or that becomes executable',
      'mkdir .husky; echo 1 >.husky/pre-commit; echo 1 >.husky/pre-push',
      'rm .husky/pre-commit; chmod +x .husky/pre-push',
      ['executing .husky/pre-commit', 'executing .husky/pre-push'],
      { includeExecuting: true },
    ],
    [
      'for a bare repository, because git obeys its settings',
      'true',
      'mkdir -p d/objects d/refs; echo "ref: x" >d/HEAD; echo "[core]" >d/config; echo >d/refs/a; echo >d/objects/b',
      ['executing d/HEAD', 'executing d/config'],
      { includeExecuting: true },
    ],
    [
      'for a bare repository whose parts are in two folders',
      'true',
      'mkdir -p a b/objects b/refs src; echo "ref: x" >a/HEAD; echo ../b >a/commondir; echo "[core]" >a/config.worktree; echo x >a/gitdir; echo "[core]" >b/Config; echo >b/refs/a; echo >b/objects/b; echo 1 >src/config',
      [
        'executing a/HEAD',
        'executing a/commondir',
        'executing a/config.worktree',
        'executing a/gitdir',
        'executing b/Config',
      ],
      { includeExecuting: true },
    ],
    [
      'for existing tests that are changed, deleted or skipped, and not for new ones',
      'mkdir test; for t in a b c; do echo "test(1)" >test/$t.test.js; done; echo 1 >x_test.go',
      'rm test/a.test.js; echo "test(2)" >test/b.test.js; echo "test.skip(1)" >test/c.test.js; echo 1 >test/new.test.js',
      ['tests test/a.test.js', 'tests test/b.test.js', 'tests test/c.test.js'],
      { includeTests: true },
      { includeExecuting: true, includeSettings: true },
    ],
    [
      'for a source file that contains fewer tests than before',
      'printf "fn a() {}\\n#[test]\\nfn t() {}\\n" >lib.rs; printf "#[test]\\nfn t() {}\\n" >two.rs',
      'echo "fn a() {}" >lib.rs; printf "#[test]\\n#[ignore]\\nfn t() {}\\n" >two.rs',
      ['tests lib.rs', 'tests two.rs'],
      { includeTests: true },
    ],
  ];
  for (const [why, base, work, needs, enough, notEnough = {}] of cases)
    test(why, async () => {
      await using at = await done(base, work);
      const { approvals } = await at.work.diff(RUN);
      assert.deepEqual(approvals.map((one) => `${one.needs} ${one.path}`).toSorted(), needs);
      if (needs.length > 0) {
        for (const options of [{}, notEnough, { branch: 'b' }])
          await assert.rejects(at.work.apply(RUN, options), (error) =>
            isRefusal(error, 'workspace.needs-approval'),
          );
        assert.deepEqual(at.recorded, []);
      }
      assert.equal((await at.work.apply(RUN, enough)).branch, null);
      const begun = at.recorded[0];
      assert.ok(begun?.type === 'apply.begun');
      const paths = needs.map((one) => one.replace(/^\w+ /, ''));
      assert.deepEqual(new Set(begun.payload.included ?? []), new Set(paths));
    });

  test('in any spelling that a file system treats as the same name', async () => {
    await using at = await done('true', 'mkdir .VSCode; echo {} >.VSCode/Tasks.json');
    await assert.rejects(at.work.apply(RUN, {}), (error) =>
      isRefusal(error, 'workspace.needs-approval'),
    );
    assert.equal(existsSync(join(at.project, '.VSCode')), false);
  });
});
