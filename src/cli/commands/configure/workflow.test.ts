import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  WorkflowsCheckDocument,
  WorkflowStepsDocument,
  WorkflowsDocument,
} from '../../../public-json/project-documents.ts';
import { RunResult } from '../../../public-json/run-result.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { PrintedSchemas } from '../../../../test/support/printed-schemas.ts';

const GATES = 'gates: [{ name: test, command: [make] }]\n';

describe('supervisor workflow', { timeout: 120_000 }, () => {
  test('lists what can be used here, and says why the rest cannot', async () => {
    await using bare = await inProcessCli();
    const { code, out } = await bare.say(['workflow']);
    assert.equal(code, 0);
    assert.match(
      out,
      /^mvp +package {2}Fast iteration.*\n {4}plan → implement → quick_review → commit$/m,
    );
    assert.match(out, /^ {4}not usable here: settings\.require_tests: no step runs a gate/m);
    const listed = WorkflowsDocument.parse(
      JSON.parse((await bare.say(['workflow', '--json'])).out),
    );
    assert.deepEqual(
      listed.workflows.map(({ name, steps }) => [name, steps?.length ?? null]),
      [
        ['enterprise', null],
        ['mvp', 4],
        ['open_source', 4],
        ['security_critical', null],
        ['with_test_engineer', 5],
      ],
    );
  });

  test('shows the steps with their links, and what the project lacks', async () => {
    await using cli = await inProcessCli(GATES);
    const { out } = await cli.say(['workflow', 'show', 'enterprise']);
    assert.match(
      out,
      /^ {2}5 {2}unit_test_gate +gate test +if it fails: implement; up to 3 times$/m,
    );
    assert.match(out, /^Commits to the branch ai\/\{task_id\}-\{slug\}, after you agree\.$/m);
    assert.match(out, /^! integration_test_gate: this project has no gate for integration, so it/m);
    const json = await cli.say(['workflow', 'show', 'enterprise', '--json']);
    const shown = WorkflowStepsDocument.parse(JSON.parse(json.out));
    assert.deepEqual([shown.steps.length, shown.fields], [11, null]);
    const { out: origins } = await cli.say(['workflow', 'show', 'enterprise', '--origins']);
    assert.match(origins, /^steps\.plan\.role +planner +\S+_base\.yaml:\d+:\d+$/m);
    const { out: graph } = await cli.say(['workflow', 'graph', 'mvp']);
    assert.match(graph, /^flowchart TD\n {2}s1\["plan<br\/>role planner"\]\n/);
  });

  test('checks files and names, and reports all problems at once', async () => {
    await using cli = await inProcessCli();
    const valid = await cli.say(['workflow', 'validate']);
    assert.deepEqual([valid.code, valid.err], [0, '']);
    assert.match(valid.out, /^You and this project have no workflow files\./);
    const named = await cli.say(['workflow', 'validate', 'mvp', 'open_source']);
    assert.equal(named.out, 'These 2 workflows are valid: mvp, open_source.\n');
    const folder = join(cli.dir, 'workflows');
    await mkdir(folder, { recursive: true });
    const text = 'steps:\n  a: {role: plannr, next: later}\n  b: {gates: [tset]}\n';
    await writeFile(join(folder, 'odd.yaml'), text);
    const messages = [
      ':2:13: steps.a.role: no role is called "plannr" (did you mean "planner"?)',
      ':2:27: steps.a.next: no step is called "later"',
      ':3:3: steps.b: no step leads to "b": name it in next, on_fail or on_reject of another step, give it a position, or disable it',
      ':3:15: steps.b.gates[0]: no gate is called "tset" (did you mean "test"?)',
    ].map((message) => `${join(folder, 'odd.yaml')}${message}`);
    for (const argv of [[], ['odd'], [join(folder, 'odd.yaml')]]) {
      const { code, out } = await cli.say(['workflow', 'validate', ...argv, '--json']);
      const { problems, error } = WorkflowsCheckDocument.parse(JSON.parse(out));
      assert.deepEqual([code, problems, error?.code], [2, messages, 'workflow.invalid']);
    }
    const { err } = await cli.say(['workflow', 'validate', 'odd']);
    assert.equal(err, messages.map((message) => `invalid ${message}\n`).join(''));
  });

  test('that may not ask ends with the code of the missing approval, and its result has the steps', async () => {
    await using cli = await inProcessCli();
    const folder = join(cli.dir, 'workflows');
    await mkdir(folder, { recursive: true });
    const text =
      'initial_step: plan\nsteps:\n  plan: {role: planner, next: look}\n  look: {kind: human}\n';
    await writeFile(join(folder, 'seen.yaml'), text);
    const words = ['run', 'Add a sum.', '--workflow', 'seen', '--no-ask', '--json'];
    const { code, out } = await cli.say([...words, '--agent', 'scripted:plays-every-role']);
    const schemas = new PrintedSchemas(async (name) => (await cli.say(['schema', name])).out);
    await schemas.check(out, words.join(' '));
    const result = RunResult.parse(JSON.parse(out));
    const [runs] = result.steps.map((step) => step.runs.map(({ run_id: run }) => run));
    assert.deepEqual(
      [code, result.state, result.error?.code, result.workflow, result.files],
      [1, 'blocked', 'approval.missing', 'seen', []],
    );
    assert.deepEqual(
      result.steps.map(({ step, kind, state, visits }) => [step, kind, state, visits]),
      [
        ['plan', 'role', 'passed', 1],
        ['look', 'human', 'pending', 0],
      ],
    );
    assert.deepEqual(
      result.attempts.map(({ run_id: run }) => run),
      runs,
    );
  });
});
