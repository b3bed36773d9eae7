/**
 * A whole run with gates, from the command to the user's tree, with agents that are a line of
 * shell.
 */
import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { eventually } from '../support/eventually.ts';
import { notesOf, SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

/** An owner with one agent, `mine`, that runs this script with the prompt in `$PROMPT`. */
function harnessWith(script: string, config: object = {}): Promise<SandboxedHarness> {
  const command = ['sh', '-c', `PROMPT=$(cat "$1"); ${script}`, 'mine', '{prompt_file}'];
  const agents = [{ id: 'mine', cli: 'custom', command }];
  return SandboxedHarness.create({
    config: { agents, sandbox: { backend: 'bubblewrap' }, ...config },
  });
}

/** The outcomes of all gates, in order. */
function verdicts(facts: readonly StoredEvent[]): readonly unknown[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.ended' &&
    fact.payload.command === 'gate' &&
    fact.payload.end.kind === 'done'
      ? [fact.payload.end.result.kind]
      : [],
  );
}

async function factsOfLast(at: SandboxedHarness): Promise<readonly StoredEvent[]> {
  const [run] = await at.client.runs({ limit: 1 });
  return at.factsOf(run?.id ?? '');
}

describe('a run with gates', { skip, timeout: 300_000 }, () => {
  test('feeds a red gate back, and applies green work', async () => {
    const script = `
      case $PROMPT in
        *"expected 42"*) echo 42 >answer; echo fixed;;
        *) echo 41 >answer; echo done;;
      esac`;
    await using at = await harnessWith(script);
    const check = 'grep -qx 42 answer || { echo expected 42, found $(cat answer); exit 1; }';
    const shown = await at.type(
      'run',
      'Find it.',
      '--agent',
      'mine',
      '--gate',
      `sh -c '${check}'`,
      '--apply',
    );
    const facts = await factsOfLast(at);
    assert.deepEqual(facts.at(-1)?.payload, { outcome: { kind: 'succeeded', reason: 'fixed' } });
    assert.deepEqual(verdicts(facts), ['failed', 'passed']);
    assert.match(shown, /✖ sh -c .*\(exit 1\)\n\s+expected 42, found 41\n/);
    assert.match(shown, /✔ sh -c [^]*succeeded\n(?: {2}.*\n)+applied 1 file to \S.*\n/);
    assert.equal(await readFile(join(at.project, 'answer'), 'utf8'), '42\n');
    const [{ id } = { id: '' }] = await at.client.runs({ limit: 1 });
    assert.match(await at.type('logs', id), /^expected 42, found 41$/m);
    // The applied work is what was judged last.
    const commits = (kind: string) => notesOf(facts, kind).map(({ commit }) => commit);
    assert.equal(commits('judges').at(-1), commits('committed').at(-1));
  });

  test('commits the work that it applied, and only that', async () => {
    await using at = await harnessWith('echo 42 >answer; echo done');
    at.git('config', 'user.name', 'Ann');
    at.git('config', 'user.email', 'ann@example.com');
    await writeFile(join(at.project, 'mine.txt'), 'mine\n');
    const gate = ['--gate', 'grep -qx 42 answer', '--apply', '--commit'];
    const shown = await at.type('run', 'Find it.', '--agent', 'mine', ...gate);
    assert.match(shown, /applied 1 file to [^]*committed [0-9a-f]{12}/);
    assert.deepEqual(
      [at.git('show', '--format=%s', '--name-only'), at.git('status', '--porcelain')],
      ['Find it.\n\nanswer\n', '?? mine.txt\n'],
    );
  });

  test('case 49: uses the gates of its project as they were at submission', async () => {
    const script = `mkdir -p .supervisor; echo '{"version":1,"gates":[]}' >.supervisor/config.yaml; echo done`;
    await using at = await harnessWith(script, {
      gates: [{ name: 'never', command: ['sh', '-c', 'exit 4'], allow_shell: true, timeout: '1m' }],
      recovery: { attempts_max: 1 },
    });
    const shown = await at.type('run', 'Get past it.', '--agent', 'mine', '--apply');
    const facts = await factsOfLast(at);
    assert.deepEqual(verdicts(facts), ['failed']);
    assert.match(shown, /✖ never \(exit 4\)/);
    assert.doesNotMatch(shown, /applied/);
  });

  test('runs gates side by side that may, and then the next one', async () => {
    const script = 'echo good >a; echo done';
    await using at = await harnessWith(script, {
      gates: [
        { name: 'one', command: ['grep', '-q', 'good', 'a'], parallel_safe: true },
        { name: 'two', command: ['grep', '-q', 'good', 'a'], parallel_safe: true },
        { name: 'three', command: ['grep', '-q', 'good', 'a'] },
      ],
    });
    await at.type('run', 'Do it.', '--agent', 'mine', '--without-baseline');
    const facts = await factsOfLast(at);
    const steps = facts.flatMap((fact) => {
      const isStep = fact.type === 'command.begun' || fact.type === 'command.ended';
      return isStep && fact.payload.command === 'gate' ? [fact.type] : [];
    });
    const [begun, ended] = ['command.begun', 'command.ended'];
    assert.deepEqual(steps, [begun, begun, ended, ended, begun, ended]);
    assert.deepEqual(facts.at(-1)?.payload, { outcome: { kind: 'succeeded', reason: 'done' } });
  });

  test('judges by the scripts of the base, and does not apply new ones unseen', async () => {
    const script = `echo '{"scripts":{"test":"true"}}' >package.json; echo good >a; echo done`;
    await using at = await harnessWith(script);
    await writeFile(join(at.project, 'package.json'), '{"scripts":{"test":"grep -q good a"}}\n');
    const shown = await at.type(
      'run',
      'Do it.',
      '--agent',
      'mine',
      '--gate',
      'npm test',
      '--apply',
    );
    assert.match(
      shown,
      /✔ npm test; the gate also ran with package\.json from before the work, because this file/,
    );
    assert.match(
      shown,
      /not applied: the work also changes files that its gates depend on: package\.json\./,
    );
  });

  test('H5: runs the tests of the base, and applies changed tests only if the user asks for it', async () => {
    const failing = "import('node:assert').then((a) => a.equal(require('./a.cjs'), 2));\n";
    const script = `echo 'module.exports = 2' >a.cjs; echo '// weaker' >>a.test.cjs; echo done`;
    await using at = await harnessWith(script);
    await writeFile(join(at.project, 'a.test.cjs'), failing);
    const gate = ['--gate', 'node --test', '--apply'];
    const shown = await at.type('run', 'Do it.', '--agent', 'mine', ...gate);
    assert.match(
      shown,
      /✔ node --test: 1 test passed \(node:test\), with these tests of the base: a\.test\.cjs \(changed\)/,
    );
    assert.match(
      shown,
      /not applied: some of the changes need your approval.*a\.test\.cjs.*--include-tests/s,
    );
    const [{ id } = { id: '' }] = await at.client.runs({ limit: 1 });
    assert.match(await at.type('status', id), /tests of the base: a\.test\.cjs \(changed\)/);
    assert.match(await at.type('why', id), /tests of the base: a\.test\.cjs \(changed\)/);
    assert.match(await at.type('diff', id), /^# Changes to existing tests/);
    const again = await at.type('run', 'Do it.', '--agent', 'mine', ...gate, '--include-tests');
    assert.match(again, /applied 2 files to /);
  });

  test('H5: a deleted test still runs, and the next prompt says so', async () => {
    const script = `case $PROMPT in
        *"as they were before the work began: a.test.cjs"*) echo 'module.exports = 2' >a.cjs; git checkout -q a.test.cjs;;
        *) rm a.test.cjs;;
      esac; echo done`;
    await using at = await harnessWith(script);
    const test = "require('node:assert').equal(require('./a.cjs'), 2);\n";
    await writeFile(join(at.project, 'a.test.cjs'), test);
    at.git('add', '--all');
    at.git('commit', '--quiet', '-m', 'a test');
    const gate = ['--gate', 'node --test', '--apply'];
    const shown = await at.type('run', 'Do it.', '--agent', 'mine', ...gate);
    assert.deepEqual(verdicts(await factsOfLast(at)), ['failed', 'passed']);
    assert.match(shown, /applied 1 file to /);
  });

  test('H5: a gate that can not be followed is no proof, unless the user counts it as one', async () => {
    await using at = await harnessWith('echo 1 >a; echo done');
    const gate = ['--gate', `sh -c 'eval "$CHECK"'`, '--apply'];
    const shown = await at.type('run', 'Do it.', '--agent', 'mine', ...gate);
    assert.match(shown, /✔ .*; not protected: it starts a command that is computed/);
    assert.match(shown, /not applied: gate .* is not protected/);
    const [{ id } = { id: '' }] = await at.client.runs({ limit: 1 });
    for (const command of ['status', 'why'])
      assert.match(await at.type(command, id), /is not protected: it starts a command/);
    const again = await at.type(
      'run',
      'Do it.',
      '--agent',
      'mine',
      ...gate,
      '--accept-unprotected',
    );
    assert.match(again, /applied 1 file to /);
  });

  test('does not begin without a gate that counts if --require-gate or --apply needs one', async () => {
    await using at = await harnessWith('echo 1 >a; echo done');
    for (const option of ['--require-gate', '--apply']) {
      const shown = await at.type('run', 'Do it.', '--agent', 'mine', option);
      assert.match(shown, /This run has no gate, so nothing could verify its work/);
    }
    assert.deepEqual(await at.client.runs({ limit: 1 }), []);
  });

  test('judges a sandboxed agent in a sandbox, and an unsandboxed one without', async () => {
    await using at = await harnessWith('echo "was told: $PROMPT"');
    const gate = ['--gate', 'test -f README.md'];
    const walled = await at.type('run', 'Work.', '--agent', 'scripted', '--verbose', ...gate);
    assert.match(walled, /gate-1-0 runs as pid \d+, in bubblewrap/);
    assert.match(walled, /✔ test -f README\.md\n[^]*succeeded: /);
    const bare = await at.type('run', 'Work.', '--agent', 'mine', ...gate, '--unsafe-no-sandbox');
    assert.match(bare, /was told: Work\.$/m);
    assert.match(bare, /gate-1-0 runs as pid \d+, not contained/);
    assert.match(bare, /✔ test -f README\.md; not protected: it ran without a sandbox/);
  });

  for (const how of ['stop', 'kill'] as const)
    test(`collects artifacts, also after a ${how}`, async () => {
      await using at = await harnessWith(
        'echo report >"$SUPERVISOR_ARTIFACTS/report.txt"; ln -s /etc/passwd "$SUPERVISOR_ARTIFACTS/link"; sleep 600',
      );
      const run = await at.submit('mine');
      const staged = join(at.home, 'artifacts', run, 'staging', 'attempt-1', 'link');
      await eventually(
        'its artifacts',
        () => lstatSync(staged, { throwIfNoEntry: false }) !== undefined,
      );
      await at.client.signal(run, { kind: how });
      await at.factsOf(run);
      const artifacts = await at.client.artifacts(run);
      assert.deepEqual(artifacts, {
        files: [{ attempt: 'attempt-1', path: 'report.txt', bytes: 7 }],
        refused: [{ attempt: 'attempt-1', path: 'link', why: 'it is a link' }],
      });
      const out = join(at.root, 'out');
      assert.match(await at.type('artifacts', run, '--out', out), /1 artifact copied to /);
      assert.equal(await readFile(join(out, 'attempt-1', 'report.txt'), 'utf8'), 'report\n');
      assert.match(
        await at.type('artifacts', run, '--out', out),
        /^error: .*already holds attempt-1/,
      );
      const status = StatusDocument.parse(JSON.parse(await at.type('status', run, '--json')));
      assert.deepEqual(status.runs[0]?.artifacts, artifacts.files);
    });
});
