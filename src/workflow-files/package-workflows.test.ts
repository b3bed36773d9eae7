import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { packageData } from '../host/files/package-data.ts';
import { workflowJsonSchema } from '../settings/file-schemas.ts';
import { describeChain, openProjectTexts } from '../../test/support/workflow-files-fixture.ts';

const GATES = 'gates: [{name: test, command: [a]}, {name: lint, command: [b]}]\n';

describe('the templates of the package', () => {
  test('load with the roles of the package in a project with gates', async () => {
    const lines = await (await openProjectTexts({ 'config.yaml': GATES })).list();
    assert.deepEqual(
      lines.map(({ placed, problem }) => [placed.name, problem]),
      ['enterprise', 'mvp', 'open_source', 'security_critical', 'with_test_engineer'].map(
        (name) => [name, null],
      ),
    );
  });

  const cases: [name: string, chain: readonly string[]][] = [
    ['mvp', ['plan', 'implement', 'test_gate (implement)', 'quick_review (implement)', 'commit']],
    ['open_source', ['plan', 'implement', 'test_gate (implement)', 'commit', 'await_review']],
    [
      'with_test_engineer',
      [
        'plan',
        'implement',
        'unit_test_gate (implement)',
        'integration_tests',
        'integration_test_gate (implement)',
        'review (implement)',
        'commit',
      ],
    ],
    [
      'security_critical',
      [
        'plan',
        'plan_review (plan)',
        'threat_modeling (plan)',
        'interface_definition',
        'implement',
        'unit_test_gate (implement)',
        'integration_tests',
        'integration_test_gate (implement)',
        'penetration_test (implement)',
        'security_review (implement)',
        'code_review (implement)',
        'ci_gate (implement)',
        'commit',
      ],
    ],
  ];
  for (const [name, chain] of cases)
    test(`${name} has its steps in order`, async () => {
      const loaded = await (await openProjectTexts({ 'config.yaml': GATES })).load(name);
      assert.deepEqual(describeChain(loaded), chain);
      const steps = Object.keys(loaded.definition.steps);
      assert.deepEqual(
        steps,
        chain.map((step) => step.split(' ')[0]),
      );
    });

  test('the base is not run by itself', async () => {
    const workflows = await openProjectTexts({});
    await assert.rejects(workflows.load('_base'), /only there to be extended/);
  });

  test('the published schema equals the schema of the reader', () => {
    const published: unknown = JSON.parse(
      readFileSync(join(packageData, 'workflow_schema.json'), 'utf8'),
    );
    assert.deepEqual(published, JSON.parse(JSON.stringify(workflowJsonSchema())));
  });
});

describe('the workflow of a project', () => {
  const own = 'steps: {work: {role: implementer}}';
  const cases: [why: string, texts: Readonly<Record<string, string>>, name: string | null][] = [
    ['is none without files', {}, null],
    ['is that of its configuration', { 'config.yaml': 'workflow: {template: mvp}' }, 'mvp'],
    ['is that of workflow.yaml', { 'workflow.yaml': own }, 'project'],
    [
      'is that of the configuration if there are both',
      { 'workflow.yaml': own, 'config.yaml': 'workflow: {template: mvp}' },
      'mvp',
    ],
    [
      'is not chosen by an empty section',
      { 'config.yaml': 'workflow: {template: null, overrides: {}, disable: []}' },
      null,
    ],
  ];
  for (const [why, texts, name] of cases)
    test(why, async () => {
      assert.equal((await openProjectTexts(texts)).projectWorkflow, name);
    });

  test('may extend a template of its own name, and hides it', async () => {
    const text = 'extends: mvp\ndisable: [quick_review]';
    const workflows = await openProjectTexts({ 'workflows/mvp.yaml': text });
    const loaded = await workflows.load('mvp');
    assert.deepEqual(describeChain(loaded), ['plan', 'implement', 'commit']);
    assert.deepEqual(
      loaded.files.map(({ level, name }) => `${level} ${name}`),
      ['package _base', 'package mvp', 'project mvp'],
    );
  });

  const refused: [why: string, config: string, message: RegExp][] = [
    [
      'that does not exist is refused where it is named',
      'workflow: {template: enterprize}',
      /^\/p\/\.supervisor\/config\.yaml:1:22: workflow\.template: no workflow is called "enterprize" \(did you mean "enterprise"\?\)$/,
    ],
    [
      'that is changed but not named is refused',
      'workflow: {disable: [plan]}',
      /config\.yaml:1:11: workflow\.template: overrides and disable need a template, or a file/,
    ],
  ];
  for (const [why, config, message] of refused)
    test(why, async () => {
      const workflows = await openProjectTexts({ 'config.yaml': config });
      await assert.rejects(workflows.load(workflows.projectWorkflow ?? ''), { message });
    });

  for (const key of ['auto_commit', 'pull_requests'])
    test(`cannot allow itself git.${key}`, async () => {
      await assert.rejects(openProjectTexts({ 'config.yaml': `git: {${key}: true}` }), {
        message: new RegExp(`git\\.${key}: a project may not set this: `),
      });
    });

  test('commits as the user and the project say', async () => {
    const config = `${GATES}git: {branch_pattern: "bot/{task_id}-{description}"}`;
    const workflows = await openProjectTexts({ 'config.yaml': config }, 'git: {auto_commit: true}');
    const { definition } = await workflows.load('with_test_engineer');
    assert.deepEqual(definition.git, { branchPattern: 'bot/{task_id}-{slug}', autoCommit: true });
  });
});
