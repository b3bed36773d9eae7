/** `run --apply --notify`: the notification comes after the apply, and its exit code is that of the command. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { NotificationDocument } from '../../src/public-json/reading-documents.ts';
import { CliHarness } from './cli-process-harness.ts';

const skip =
  which('bwrap', process.env) === undefined && process.env['CI'] === undefined
    ? 'missing: bwrap'
    : false;

function agent(script: string): string {
  return JSON.stringify({
    agents: [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', script] }],
    sandbox: { backend: 'bubblewrap' },
  });
}

const cases: [why: string, script: string, code: number, error: string | undefined][] = [
  ['the work is applied', 'echo hi > made.txt; echo done', 0, undefined],
  [
    'the work needs an approval, so nothing is applied',
    'echo hi > made.txt; mkdir -p .github/workflows; echo "on: push" > .github/workflows/a.yml; echo done',
    3,
    'workspace.needs-approval',
  ],
];

describe('the notification of a run with --apply', { skip, timeout: 300_000 }, () => {
  for (const [why, script, code, error] of cases)
    test(`tells the truth if ${why}`, async () => {
      await using harness = await CliHarness.create(agent(script));
      const git = (...args: readonly string[]): string =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
          cwd: harness.project,
          encoding: 'utf8',
        });
      git('init', '--quiet', '--initial-branch=main');
      git('commit', '--quiet', '--allow-empty', '-m', 'first');
      const [notice, seen] = [join(harness.dir, 'notice.json'), join(harness.dir, 'seen')];
      const made = join(harness.project, 'made.txt');
      const notify = `sh -c 'cat > ${notice}; if test -e ${made}; then echo applied; else echo absent; fi > ${seen}'`;
      const gate = ['--gate', 'grep -q hi made.txt'];
      const ran = await harness.run([
        ...['run', 'x', '--agent', 'mine', ...gate, '--apply', '--foreground', '--notify', notify],
      ]);
      assert.equal(ran.code, code, `${ran.stdout}${ran.stderr}`);
      // An owner in the foreground delivers the notification before the command ends.
      const { result } = NotificationDocument.parse(JSON.parse(readFileSync(notice, 'utf8')));
      assert.deepEqual(
        [result.exit_code, result.error?.code, result.apply_error?.code],
        [code, error, error],
      );
      assert.equal(readFileSync(seen, 'utf8'), code === 0 ? 'applied\n' : 'absent\n');
      assert.equal(existsSync(made), code === 0);
    });
});
