/** A change of high risk, by the command line: only a named person approves it, and only as it is. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { trustProject } from '../support/trust-project.ts';
import type { CliHarness } from './cli-process-harness.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const WORKFLOW = `description: One step and a person
initial_step: implement
steps:
  implement: {role: implementer, next: look}
  look: {kind: human, on_reject: implement}
`;

/** Starts the workflow, and waits until it asks. */
async function submitted(at: { harness: CliHarness; env: NodeJS.ProcessEnv }): Promise<string> {
  const { harness } = at;
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  for (const line of [
    ['add', '--all'],
    ['commit', '--quiet', '-m', 'first'],
  ])
    execFileSync('git', [...who, ...line], { cwd: harness.project });
  await trustProject(harness.home.dir, harness.project);
  const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
  const args = ['run', 'Add a sum.', '--workflow', 'small', '--agent', 'scripted:plays-every-role'];
  const { code, stdout, stderr } = await harness.run([...args, '--detach'], { env });
  assert.equal(code, 0, stdout + stderr);
  const run = stdout.trim();
  const terminal = harness.type(['events', '--run', run, '--follow']);
  await terminal.shows(/look#1: question/);
  terminal.child.kill('SIGKILL');
  return run;
}

/** The code of the refusal, or `ok`. */
async function end(harness: CliHarness, args: readonly string[], stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await harness.run([...args, '--json'], { stdin });
  const document: unknown = parseJson(stdout);
  const error = isRecord(document) ? document['error'] : undefined;
  if (isRecord(error)) return `${String(error['code'])} ${code}`;
  return code === 0 ? 'ok' : `${code}: ${stdout}${stderr}`;
}

describe('a change that waits for an approval', { skip, timeout: 600_000 }, () => {
  test('is approved only by a named person with their secret, and only as it is', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    await harness.run(['status']); // creates the home
    await writeFile(
      join(harness.home.dir, 'config.yaml'),
      'approvals: {high_paths: [sum.mjs], high_approvers: [leads]}\n',
    );
    const run = await submitted(at);
    const listed = await harness.run(['approvals', '--json']);
    const [waiting] = (parseJson(listed.stdout) as { approvals: Record<string, unknown>[] })
      .approvals;
    assert.deepEqual(
      [waiting?.['run_id'], waiting?.['risk'], waiting?.['files'], waiting?.['approvers']],
      [run, 'high', ['sum.mjs'], ['leads']],
    );
    const shown = (await harness.run(['approvals'])).stdout;
    assert.match(shown, /risk +high: it changes sensitive files: sum\.mjs/);
    assert.match(shown, new RegExp(`supervisor approve ${run} --as NAME`));
    const tree = String(waiting?.['tree']);

    const added = await harness.run(['approver', 'add', 'ada', '--group', 'leads']);
    const secret = added.stdout.trim();
    await harness.run(['approver', 'add', 'bob', '--secret-stdin'], { stdin: 'the secret of bob' });
    const as = (name: string, ...more: readonly string[]): readonly string[] => [
      ...['approve', run, '--as', name, '--secret-stdin'],
      ...more,
    ];
    assert.equal(await end(harness, ['answer', run, 'approve']), 'approval.not-allowed 3');
    assert.equal(await end(harness, ['approve', run]), 'approval.not-allowed 3');
    assert.equal(await end(harness, as('ada'), 'a wrong secret'), 'approver.wrong-secret 3');
    assert.equal(await end(harness, as('bob'), 'the secret of bob'), 'approval.not-allowed 3');
    assert.equal(
      await end(harness, as('ada', '--tree', '0000000'), secret),
      'approval.work-moved 3',
    );
    assert.equal(await end(harness, as('ada', '--tree', tree.slice(0, 7)), secret), 'ok');
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'unverified', JSON.stringify(ended));
    const events = await harness.run(['events', '--run', run, '--json']);
    assert.match(events.stdout, /"approver":"ada","tree":"\w+","channel":"terminal"/);
    assert.ok(!events.stdout.includes(secret), 'no secret in the record');
  });

  test('that no person decides about in time stays open, and is approved later', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    await harness.run(['status']); // creates the home
    await writeFile(
      join(harness.home.dir, 'config.yaml'),
      'approvals: {medium_timeout: 1s, medium_on_timeout: park}\n',
    );
    const run = await submitted(at);
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/look#1: no person answered in time[^]*look#2: question/);
    terminal.child.kill('SIGKILL');
    const shown = (await harness.run(['approvals'])).stdout;
    assert.match(shown, /time +its time is over, and it stays open until a person decides/);
    assert.equal(await end(harness, ['approve', run]), 'ok');
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'unverified', JSON.stringify(ended));
  });

  test('that no person decides about in time is rejected if the policy says so', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    await harness.run(['status']); // creates the home
    await writeFile(
      join(harness.home.dir, 'config.yaml'),
      'approvals: {medium_timeout: 1s, medium_on_timeout: deny}\n',
    );
    const run = await submitted(at);
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'failed');
    assert.match(ended.reason ?? '', /rejected by timeout at step look: no person decided within/);
  });

  test('is changed by a person in a checkout, and then asked about again', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    const run = await submitted(at);
    assert.equal(await end(harness, ['edit', run, '--done']), 'approval.not-edited 1');
    const opened = await harness.run(['edit', run]);
    const folder = opened.stdout.trim();
    assert.match(opened.stderr, new RegExp(`supervisor edit ${run} --done`));
    assert.equal(await end(harness, ['edit', run, '--done']), 'approval.not-edited 1');
    const tree = async (): Promise<unknown> => {
      const { stdout } = await harness.run(['approvals', '--json']);
      return (parseJson(stdout) as { approvals: { tree: string }[] }).approvals[0]?.tree;
    };
    const before = await tree();
    await writeFile(join(folder, 'by-ada.txt'), 'by hand\n');
    assert.equal(await end(harness, ['edit', run]), 'ok', 'the same checkout, as it is');
    assert.equal(await end(harness, ['edit', run, '--done']), 'ok');
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/look#2: question/);
    terminal.child.kill('SIGKILL');
    assert.notEqual(await tree(), before);
    assert.match((await harness.run(['diff', run])).stdout, /by-ada\.txt/);
    const old = ['approve', run, '--tree', String(before).slice(0, 7)];
    assert.equal(await end(harness, old), 'approval.work-moved 3');
    assert.equal(await end(harness, ['approve', run]), 'ok');
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'unverified', JSON.stringify(ended));
    assert.match(ended.reason ?? '', /a person changed the work at step look/);
    assert.equal((await harness.run(['apply', run])).code, 0);
    assert.equal(await readFile(join(harness.project, 'by-ada.txt'), 'utf8'), 'by hand\n');
  });

  test('is changed by a person also where a gate needs one, and then judged again', async () => {
    const gate = '{name: by hand, command: [test, -f, by-ada.txt], on_fail: ask}';
    await using at = await newRepository({
      '.supervisor/config.yaml': `version: 1\nbaseline: false\ngates:\n  - ${gate}\n`,
      '.supervisor/workflows/small.yaml': `description: One step and a gate
steps:
  implement: {role: implementer, next: between}
  # The run of a role judges its work by the gates that follow at once.
  between: {kind: command, command: 'true', next: look}
  look: {gates: [by hand], on_fail: implement}
`,
    });
    const { harness } = at;
    const run = await submitted(at);
    const inbox = await harness.run(['inbox']);
    assert.match(inbox.stdout, new RegExp(`Or change the work with: supervisor edit ${run}`));
    const opened = await harness.run(['edit', run]);
    await writeFile(join(opened.stdout.trim(), 'by-ada.txt'), 'by hand\n');
    assert.equal(await end(harness, ['edit', run, '--done']), 'ok');
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.match(ended?.reason ?? '', /a person changed the work at step look/);
    assert.match((await harness.run(['diff', run])).stdout, /by-ada\.txt/);
  });

  test('of critical risk needs two people, and no one counts twice, guesses or decides after the first', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    await harness.run(['status']); // creates the home
    await writeFile(
      join(harness.home.dir, 'config.yaml'),
      'approvals: {critical_paths: [sum.mjs], critical_people: 2}\n',
    );
    const run = await submitted(at);
    for (const name of ['ada', 'bob', 'cyd'])
      await harness.run(['approver', 'add', name, '--secret-stdin'], {
        stdin: `the secret of ${name}`,
      });
    const as = (name: string): readonly string[] => [
      'approve',
      run,
      '--as',
      name,
      '--secret-stdin',
    ];
    const approve = (name: string): Promise<string> =>
      end(harness, as(name), `the secret of ${name}`);

    assert.equal(await end(harness, as('cyd'), 'the secret of ada'), 'approver.wrong-secret 3');
    for (let nth = 1; nth < 5; nth += 1) await end(harness, as('cyd'), `guess ${nth}`);
    assert.equal(await approve('cyd'), 'approver.locked 3');
    assert.match((await harness.run(['approver', 'list'])).stdout, /cyd .* 5 in a row, locked for/);

    assert.equal(await approve('ada'), 'ok');
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/look#2: question/);
    terminal.child.kill('SIGKILL');
    assert.equal(await approve('ada'), 'approval.not-allowed 3');
    const ends = await Promise.all([
      approve('bob'),
      end(harness, ['reject', run, '--reason', 'too late']),
    ]);
    assert.equal(ends.filter((one) => one === 'ok').length, 1, ends.join(', '));
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, ends[0] === 'ok' ? 'unverified' : 'failed', JSON.stringify(ended));
    const { stdout } = await harness.run(['events', '--run', run, '--json']);
    const decisions = stdout
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const { type, at: when, data } = parseJson(line) as Record<string, unknown>;
        const { approver, channel } = data as Record<string, unknown>;
        const isDated = typeof when === 'string' && !Number.isNaN(Date.parse(when));
        return type === 'signal.received' ? [[approver, channel, isDated]] : [];
      });
    const second = ends[0] === 'ok' ? 'bob' : null;
    assert.deepEqual(decisions, [
      ['ada', 'terminal', true],
      [second, 'terminal', true],
    ]);
    assert.ok(!stdout.includes('the secret of'), 'no secret in the record');
  });

  test('is sent back with a comment about a line, or rejected with a reason', async () => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    const run = await submitted(at);
    const comment = ['comment', run, '--file', 'sum.mjs', '--line', '1', 'it subtracts'];
    const misspelt = comment.map((word) => (word === 'sum.mjs' ? 'summ.mjs' : word));
    assert.equal(await end(harness, misspelt), 'usage.invalid 2');
    assert.equal(await end(harness, comment), 'ok');
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/look#2: question/);
    terminal.child.kill('SIGKILL');
    assert.equal(await end(harness, ['reject', run, '--reason', 'not needed']), 'ok');
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'failed');
    assert.match(ended.reason ?? '', /a person rejected the work at step look: not needed/);
  });
});
