import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { FixtureOptions } from '../../test/support/workflow-files-fixture.ts';
import {
  describeChain,
  GATES,
  loadWorkflowText,
} from '../../test/support/workflow-files-fixture.ts';

/** Templates as the makers of other tools write them. */
function foreign(name: string): string {
  const path = `../../test/support/foreign-workflows/${name}.yaml`;
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

const FOREIGN = Object.fromEntries(
  ['_base', 'mvp', 'enterprise', 'open_source', 'security_critical', 'default_machine'].map(
    (name) => [`u/${name}.yaml`, foreign(name)],
  ),
);

describe('a template of another tool loads as it is written', () => {
  const cases: [name: string, chain: readonly string[]][] = [
    ['mvp', ['plan', 'implement', 'quick_review (implement)', 'commit']],
    [
      'enterprise',
      [
        'plan',
        'plan_review',
        'interface_definition',
        'implement',
        'unit_test_gate (implement)',
        'integration_tests',
        'integration_test_gate (implement)',
        'security_review (implement)',
        'code_review (implement)',
        'ci_gate (implement)',
        'commit',
      ],
    ],
    ['open_source', ['plan', 'implement', 'test_gate', 'docs_check', 'create_pr', 'await_review']],
    [
      'security_critical',
      [
        'plan',
        'plan_review',
        'threat_modeling',
        'interface_definition',
        'implement',
        'unit_test_gate (implement)',
        'integration_tests',
        'integration_test_gate (implement)',
        'penetration_test',
        'security_review (implement)',
        'code_review (implement)',
        'ci_gate (implement)',
        'commit',
      ],
    ],
    [
      'default_machine',
      [
        'plan',
        'plan_review (plan)',
        'implement',
        'test (implement)',
        'review (implement)',
        'ci (implement)',
        'commit',
      ],
    ],
  ];
  for (const [name, chain] of cases)
    test(name, async () => {
      assert.deepEqual(describeChain(await loadWorkflowText(name, FOREIGN)), chain);
    });

  test('a project changes one in its configuration', async () => {
    const { definition } = await loadWorkflowText('enterprise', FOREIGN, {
      chosen: foreign('config').replace('workflow:', '').replaceAll(/^ {2}/gm, ''),
    });
    const { implement, risk_validation: added, security_review: disabled } = definition.steps;
    assert.equal(implement?.kind === 'role' && implement.role, 'quant_dev');
    assert.deepEqual(implement?.config, { tdd: true, coverage: 95 });
    assert.equal(definition.steps['integration_test_gate']?.next, 'risk_validation');
    assert.deepEqual([added?.next, disabled], ['code_review', undefined]);
  });
});

test('each kind of step has all its fields', async () => {
  const text = `
description: d
steps:
  plan: {role: planner, next: work, outputs: [phases, breakdown]}
  work: {role: implementer, next: check, config: {tdd: true}, context_scope: component_only, timeout: 5m}
  check: {gates: [test], next: own, on_fail: work, max_retries: 2, required: false}
  own: {command: "make test-unit", next: review, retry_policy: conservative}
  review: {roles: [reviewer, reviewer_codex], agree: any, on_reject: work, next: human}
  human: {type: human_gate, on_reject: work, next: tool}
  tool: {kind: command, command: "make docs", allowed_writes: ["docs/**"], next: end}
  end: {kind: commit, pull_request: {draft: false}, outputs: [pr_url]}
hooks: {pre_commit: [lint]}
`;
  const { definition, notes } = await loadWorkflowText('a', { 'p/a.yaml': text });
  assert.deepEqual(notes, []);
  const [test, lint] = GATES;
  const HOUR = 3_600_000;
  const base = {
    description: '',
    onFail: null,
    timeoutMs: HOUR,
    humanApproval: false,
    required: true,
    outputs: {},
    config: {},
  };
  const retry = (
    attemptsMax: number,
    initialMs: number,
    multiplier: number,
    waitMaxMs: number,
  ) => ({
    retry: {
      attemptsMax,
      initialMs,
      multiplier,
      waitMaxMs,
      jitter: 0.1,
      whenUsedUp: 'fail' as const,
    },
  });
  const [asUsual, often, seldom] = [
    retry(3, 2000, 2, 30_000),
    retry(5, 1000, 1.5, 60_000),
    retry(2, 5000, 3, 120_000),
  ];
  const role = { onReject: null, contextScope: 'project' };
  assert.deepEqual(definition, {
    name: 'a',
    description: 'd',
    initialStep: 'plan',
    limits: { stepsMax: 50, retriesMax: 3, roundsMax: 10 },
    git: { branchPattern: 'ai/{task_id}', autoCommit: false },
    steps: {
      plan: {
        ...base,
        ...asUsual,
        ...role,
        id: 'plan',
        kind: 'role',
        role: 'planner',
        next: 'work',
        outputs: { summary: 'summary', phases: 'phases', breakdown: '' },
      },
      work: {
        ...base,
        ...often,
        ...role,
        id: 'work',
        kind: 'role',
        role: 'implementer',
        next: 'check',
        config: { tdd: true },
        contextScope: 'component',
        timeoutMs: 300_000,
        outputs: { summary: 'summary' },
      },
      check: {
        ...base,
        ...retry(3, 2000, 2, 30_000),
        id: 'check',
        kind: 'gate',
        next: 'own',
        onFail: 'work',
        required: false,
        gates: [test],
      },
      own: {
        ...base,
        ...seldom,
        id: 'own',
        kind: 'gate',
        next: 'review',
        gates: [{ name: 'own', command: ['make', 'test-unit'], timeoutMs: 600_000 }],
      },
      review: {
        ...base,
        ...seldom,
        id: 'review',
        kind: 'review',
        roles: ['reviewer', 'reviewer_codex'],
        agree: 'any',
        onReject: 'work',
        next: 'human',
      },
      human: {
        ...base,
        ...retry(1, 2000, 2, 30_000),
        id: 'human',
        kind: 'human',
        onReject: 'work',
        next: 'tool',
      },
      tool: {
        ...base,
        ...asUsual,
        id: 'tool',
        kind: 'command',
        command: ['make', 'docs'],
        allowedWrites: ['docs/**'],
        next: 'end',
      },
      end: {
        ...base,
        ...asUsual,
        id: 'end',
        kind: 'commit',
        next: null,
        before: [lint],
        pullRequest: { draft: false },
        outputs: { pr_url: 'pullRequest' },
      },
    },
  });
});

const BASE = `
steps:
  plan: {role: planner, next: work}
  work: {role: implementer, next: review}
  review: {roles: [reviewer, reviewer_codex], human_approval: true, on_reject: work, next: commit}
  commit: {kind: commit}
`;

describe('the chain of a workflow that extends another', () => {
  const cases: [why: string, text: string, chain: readonly string[]][] = [
    [
      'a step after another takes over its next',
      'steps: {x: {role: reviewer, position: after work}}',
      ['plan', 'work', 'x', 'review (work)', 'commit'],
    ],
    [
      'a step before another is next for all that led there',
      'steps: {x: {role: reviewer, position: before commit}}',
      ['plan', 'work', 'review (work)', 'x', 'commit'],
    ],
    [
      'a step before the first one becomes the first one',
      'steps: {x: {role: investigator, position: before plan}}',
      ['x', 'plan', 'work', 'review (work)', 'commit'],
    ],
    [
      'two steps after the same one: the last one comes first',
      'steps: {x: {role: reviewer, position: after work}, y: {role: reviewer, position: after work}}',
      ['plan', 'work', 'y', 'x', 'review (work)', 'commit'],
    ],
    [
      'a step with a next of its own skips the rest',
      'steps: {x: {role: reviewer, position: after work, next: commit}, review: {next: null}}\ndisable: [review]',
      ['plan', 'work', 'x', 'commit'],
    ],
    ['links go past a disabled step', 'disable: [review]', ['plan', 'work', 'commit']],
    ['also past the first one', 'disable: [plan]', ['work', 'review (work)', 'commit']],
    [
      'reviews one after another are steps of their own',
      'settings: {parallel_reviews: false}',
      ['plan', 'work', 'review (work)', 'review_2 (work)', 'commit'],
    ],
    [
      'null removes a link',
      'steps: {review: {next: null}}\ndisable: [commit]',
      ['plan', 'work', 'review (work)'],
    ],
    [
      'overrides are the same as steps',
      'overrides: {work: {next: commit}}\ndisable: [review]',
      ['plan', 'work', 'commit'],
    ],
  ];
  for (const [why, text, chain] of cases)
    test(why, async () => {
      const texts = { 'u/base.yaml': BASE, 'p/a.yaml': `extends: base\n${text}` };
      assert.deepEqual(describeChain(await loadWorkflowText('a', texts)), chain);
    });
});

test('a list of roles replaces the inherited one, and a role replaces a list of roles', async () => {
  const texts = {
    'u/base.yaml': BASE,
    'p/a.yaml': 'extends: base\nsteps: {review: {roles: [reviewer_gemini]}}',
    'p/b.yaml': 'extends: base\nsteps: {review: {role: reviewer}}',
  };
  const a = (await loadWorkflowText('a', texts)).definition.steps['review'];
  const b = (await loadWorkflowText('b', texts)).definition.steps['review'];
  assert.deepEqual(a?.kind === 'review' && a.roles, ['reviewer_gemini']);
  assert.deepEqual([b?.kind, b?.kind === 'role' && b.role], ['role', 'reviewer']);
});

describe('a setting has its effect', () => {
  type Facts = Readonly<Record<string, unknown>>;
  const cases: [why: string, settings: string, facts: Facts][] = [
    ['none', '{}', { approves: ['review'], pr: null, config: {}, autoCommit: true }],
    [
      'human_approval: true asks before the commit',
      '{human_approval: true}',
      { autoCommit: false },
    ],
    ['human_approval: false asks for no approval', '{human_approval: false}', { approves: [] }],
    ['auto_pr opens a draft', '{auto_pr: true}', { pr: { draft: true } }],
    ['require_changelog', '{require_changelog: true}', { config: { changelog: 'required' } }],
    ['skip_edge_cases', '{skip_edge_cases: true}', { config: { edge_cases: 'skip' } }],
    ['dual_review is met', '{dual_review: true}', {}],
    ['parallel_reviews: false', '{parallel_reviews: false}', { approves: ['review_2'] }],
  ];
  for (const [why, settings, facts] of cases)
    test(why, async () => {
      const texts = { 'p/a.yaml': `${BASE}settings: ${settings}` };
      const { definition } = await loadWorkflowText('a', texts, { git: { autoCommit: true } });
      const steps = Object.values(definition.steps);
      const { commit, work } = definition.steps;
      const found: Facts = {
        approves: steps.filter(({ humanApproval }) => humanApproval).map(({ id }) => id),
        pr: commit?.kind === 'commit' && commit.pullRequest,
        config: work?.config,
        autoCommit: definition.git.autoCommit,
      };
      assert.deepEqual({ ...found, ...facts }, found);
    });

  test('security_review: false leaves out the reviews by security roles', async () => {
    const text = `
steps:
  work: {role: implementer, next: audit}
  audit: {role: security_auditor, on_reject: work, next: commit}
  commit: {kind: commit}
settings: {security_review: false}`;
    assert.deepEqual(describeChain(await loadWorkflowText('a', { 'p/a.yaml': text })), [
      'work',
      'commit',
    ]);
  });
});

describe('a gate that templates name by what it checks', () => {
  const text = (gates: string, more = ''): string => `
steps:
  work: {role: implementer, next: check}
  check: {gates: ${gates}, next: commit, on_fail: work${more}}
  commit: {kind: commit}
hooks: {pre_commit: [type_check]}`;
  const named = (...names: readonly string[]): FixtureOptions => ({
    gates: names.map((name) => ({ name, command: ['x'], timeoutMs: 1 })),
  });
  const HOOK = 'Before a commit: this project has no gate for type_check.';
  const ADD =
    'To add one, write in .supervisor/config.yaml, with your own command: gates: [{ name: docs, command: [make, docs] }]';
  const cases: [
    why: string,
    text: string,
    options: FixtureOptions,
    gates: readonly string[] | undefined,
    notes: readonly string[],
  ][] = [
    ['is that of the project', text('[test]'), named('unit', 'types'), ['unit'], []],
    [
      'is all of a project with several parts',
      text('[test]'),
      named('test api', 'test web', 'test integration', 'types'),
      ['test api', 'test web'],
      [],
    ],
    [
      'has a stand-in, which is said',
      text('[integration]'),
      named('test', 'types'),
      ['test'],
      ['check: this project has no gate for integration, so it runs test.'],
    ],
    [
      'is every gate, for ci',
      text('[ci]'),
      named('test', 'types'),
      ['test', 'types'],
      ['check: this project has no gate for ci, so it runs test, types.'],
    ],
    [
      'is left out if the project has none, which is said',
      text('[docs]'),
      named('test', 'types'),
      undefined,
      [`check is left out: this project has no gate for docs. ${ADD}`],
    ],
    ['in a hook is left out, which is said', text('[test]'), named('test'), ['test'], [HOOK]],
    [
      'is one of several',
      text('[docs, test]'),
      named('test', 'types'),
      ['test'],
      ['check: this project has no gate for docs.'],
    ],
    [
      'is the own name of a gate',
      text('[Slow Checks]'),
      named('Slow Checks', 'tsc'),
      ['Slow Checks'],
      [],
    ],
  ];
  for (const [why, written, options, gates, notes] of cases)
    test(why, async () => {
      const loaded = await loadWorkflowText('a', { 'p/a.yaml': written }, options);
      const step = loaded.definition.steps['check'];
      const found = step?.kind === 'gate' ? step.gates.map(({ name }) => name) : undefined;
      assert.deepEqual([found, loaded.notes], [gates, notes]);
    });
});

describe('a command of a gate', () => {
  const cases: [line: string, command: readonly string[]][] = [
    ['make test', ['make', 'test']],
    ["pytest -k 'a b'", ['pytest', '-k', 'a b']],
    ['make lint && make test', ['sh', '-c', 'make lint && make test']],
    ['prettier --check *.ts', ['sh', '-c', 'prettier --check *.ts']],
    ['cd "$HOME"', ['sh', '-c', 'cd "$HOME"']],
  ];
  for (const [line, command] of cases)
    test(`${line} runs ${command[0] === 'sh' ? 'in a shell' : 'by itself'}`, async () => {
      const text = `steps: {check: {command: ${JSON.stringify(line)}}}`;
      const { definition } = await loadWorkflowText('a', { 'p/a.yaml': text });
      const { check } = definition.steps;
      assert.deepEqual(check?.kind === 'gate' && check.gates[0]?.command, command);
    });
});

test('a pull request needs the permission of the user, and the notes say so', async () => {
  const text = 'steps: {commit: {kind: commit, pull_request: true}}';
  const options = { git: { pullRequests: false } };
  const { definition, notes } = await loadWorkflowText('a', { 'p/a.yaml': text }, options);
  const { commit } = definition.steps;
  assert.equal(commit?.kind === 'commit' && commit.pullRequest, null);
  assert.deepEqual(notes, [
    'commit opens no pull request: to allow it, set git.pull_requests: true in your own config.yaml.',
  ]);
});

test('without branches of their own, commits are left out, and the notes say what to do', async () => {
  const options = { git: { branchPattern: null } };
  const loaded = await loadWorkflowText('a', { 'p/a.yaml': BASE }, options);
  assert.deepEqual(describeChain(loaded), ['plan', 'work', 'review (work)']);
  assert.deepEqual(loaded.notes, [
    'commit is left out with its gates, because git.auto_branch is false. Take the work with: supervisor apply --commit',
  ]);
});

test('limits change what their steps have', async () => {
  const text = `
steps:
  work: {role: implementer, next: check}
  check: {gates: [test], on_fail: work}
limits:
  step_timeout_seconds: 300
  step_max_retries: 1
  workflow_max_steps: 20
  max_rounds: 2
  default_token_budget: 20000
  max_token_budget: 30000
  retry_base_delay_seconds: 5
  retry_max_delay_seconds: 60
  retry_exponential_base: 2`;
  const { definition } = await loadWorkflowText('a', { 'p/a.yaml': text });
  assert.deepEqual(definition.limits, {
    ...{ stepsMax: 20, retriesMax: 1, roundsMax: 2 },
    ...{ tokensDefault: 20_000, tokensMax: 30_000 },
  });
  const expected = {
    attemptsMax: 2,
    initialMs: 5000,
    multiplier: 2,
    waitMaxMs: 60_000,
    jitter: 0.1,
    whenUsedUp: 'fail',
  };
  for (const { retry, timeoutMs } of Object.values(definition.steps))
    assert.deepEqual([retry, timeoutMs], [expected, 300_000]);
});

describe('roles that continue their conversations', () => {
  const STEPS = 'steps: {a: {role: planner, next: b}, b: {role: investigator}}\nsettings: ';
  const cases: [why: string, settings: string, expected: unknown][] = [
    ['are none by default', '{}', undefined],
    [
      'are those that plan and investigate',
      '{continuity: {}}',
      { roles: ['planner', 'investigator'], turnsMax: 3 },
    ],
    [
      'are those that the file names, as often as it says',
      '{continuity: {default_mode: fresh, allow_continuation: true, max_continuation_turns: 1, continuation_roles: [investigator]}}',
      { roles: ['investigator'], turnsMax: 1 },
    ],
    [
      'are none if the file does not allow it',
      '{continuity: {allow_continuation: false}}',
      undefined,
    ],
  ];
  for (const [why, settings, expected] of cases)
    test(why, async () => {
      const { definition } = await loadWorkflowText('a', { 'u/a.yaml': `${STEPS}${settings}` });
      assert.deepEqual(definition.continuity, expected);
    });
});
