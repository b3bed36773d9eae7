import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import { DETECTORS, THRESHOLDS } from '../protocol/contracts/steering-contract.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { Given } from '../../test/support/load-settings-fixture.ts';
import { loadFiles, PROJECT, set, USER } from '../../test/support/load-settings-fixture.ts';
import { TrustedProject } from '../trust/trusted-project.ts';
import { explainSettings } from './explain.ts';
import { loadSettings } from './load-settings.ts';

describe('settings come from', () => {
  const cases: [why: string, given: Given, attempts: number][] = [
    ['the defaults without files and flags', {}, 10],
    ["the user's file", { user: 'limits: {attempts: 2}' }, 2],
    [
      "the project's file before it",
      { user: 'limits: {attempts: 3}', project: 'limits: {attempts: 2}' },
      2,
    ],
    [
      'a --set before the files',
      { project: 'limits: {attempts: 3}', flags: set('limits.attempts=4') },
      4,
    ],
    ['the last --set', { flags: set('limits.attempts=4', 'limits.attempts=5') }, 5],
    [
      'other flags before --set',
      {
        flags: {
          ...set('limits.attempts=4'),
          values: { limits: { attempts: 6 }, owner: undefined },
        },
      },
      6,
    ],
    [
      'the defaults again after null',
      { user: 'limits: {attempts: 2}', flags: set('limits.attempts=null') },
      10,
    ],
    [
      'the file with a byte order mark and Windows lines',
      { user: '\uFEFFlimits:\r\n  attempts: 2\r\n' },
      2,
    ],
    ['the defaults if files are empty', { user: '', project: '# nothing\n---\n' }, 10],
    ['an anchor and its alias', { user: 'x-n: &n 7\nlimits: {attempts: *n}' }, 7],
  ];
  for (const [why, given, attempts] of cases) {
    test(why, async () => {
      const { settings } = await loadFiles(given);
      const limits = { ...defaultSettings.limits, attempts };
      assert.deepEqual(settings, { ...defaultSettings, limits });
    });
  }

  test("only the user's file outside a project", async () => {
    const { settings } = await loadSettings({
      home: '/home/ann/.supervisor',
      userDir: '/home/ann',
      readFile: (path) => Promise.resolve(path === USER ? 'default_agent: codex' : undefined),
    });
    assert.equal(settings.defaultAgent, 'codex');
  });
});

describe('the loaded configuration', () => {
  const given = {
    user: 'agents:\n  - {id: a, cli: claude, args: [--fast], env: {HUB_TOKEN: t, LANG: C}}\nlimits: {attempts: 4}',
    project: 'x-note: mine\nattempt: {grace: 5}',
    flags: { set: ['limits.starts_per_minute=2'], values: { default_agent: 'a' } },
  };

  test('is explained with every value as written, its origin, and no secret', async () => {
    assert.deepEqual(
      explainSettings(await loadFiles(given)).map(({ key, value, origin }) => [key, value, origin]),
      [
        ['version', 1, 'default'],
        ['agents[0].id', 'a', `${USER}:2:10`],
        ['agents[0].cli', 'claude', `${USER}:2:18`],
        ['agents[0].args[0]', '--fast', `${USER}:2:33`],
        ['agents[0].env.HUB_TOKEN', '(not shown)', `${USER}:2:59`],
        ['agents[0].env.LANG', 'C', `${USER}:2:68`],
        ['default_agent', 'a', 'flags'],
        ['selection.mode', 'fallback', 'default'],
        ['selection.fallbacks', {}, 'default'],
        ['selection.pinned', null, 'default'],
        ['selection.learned', 'suggest', 'default'],
        ['selection.learned_samples_min', 10, 'default'],
        ['selection.learned_days', 30, 'default'],
        ['selection.learned_deviation_max', 0.2, 'default'],
        ['recovery.preset', 'fallback-first', 'default'],
        ['recovery.retries_per_agent', null, 'default'],
        ['recovery.attempts_max', null, 'default'],
        ['recovery.cooldown_s', 3600, 'default'],
        ['recovery.limit_patience_s', 60, 'default'],
        ['recovery.wait_for_reset', true, 'default'],
        ['recovery.wait_max_s', 43_200, 'default'],
        ['recovery.ask', true, 'default'],
        ['capacity.runs_max', 4, 'default'],
        ['capacity.per_agent_max', 2, 'default'],
        ['limits.attempts', 4, `${USER}:3:20`],
        ['limits.starts_per_minute', 2, '--set limits.starts_per_minute'],
        ['limits.disk_free', '500MB', 'default'],
        ['attempt.grace', 5, `${PROJECT}:2:18`],
        ['attempt.deadline', null, 'default'],
        ['attempt.interruptions_max', 3, 'default'],
        ['attempt.output_max', '10MB', 'default'],
        ['gates', [], 'default'],
        ['baseline', true, 'default'],
        ['setup.command', null, 'default'],
        ['setup.inputs', [], 'default'],
        ['setup.network', [], 'default'],
        ['setup.timeout', '30m', 'default'],
        ['require_setup', true, 'default'],
        ['sandbox.backend', 'auto', 'default'],
        ['sandbox.image', null, 'default'],
        ['sandbox.pull', 'missing', 'default'],
        ['sandbox.memory', '4GB', 'default'],
        ['sandbox.cpus', 2, 'default'],
        ['sandbox.pids', 512, 'default'],
        ['sandbox.disk', '10GB', 'default'],
        ['sandbox.tmp', '500MB', 'default'],
        ['sandbox.mounts', [], 'default'],
        ['sandbox.preflight', [], 'default'],
        ['sandbox.network', [], 'default'],
        ['sandbox.grants.toolchains', [], 'default'],
        ['sandbox.grants.files', [], 'default'],
        ['sandbox.grants.git_identity', null, 'default'],
        ['classify.rules', [], 'default'],
        ['gateway.calls_per_project', 10, 'default'],
        ['gateway.outage_patience', '10s', 'default'],
        ['gateway.silence', '3m', 'default'],
        ['gateway.request_max', '32MB', 'default'],
        ['gateway.record_max', '64MB', 'default'],
        ['gateway.private_hosts', [], 'default'],
        ['gateway.server_tools', [], 'default'],
        ['gateway.prices', [], 'default'],
        ...['', 'project.', 'tree.'].flatMap((scope) =>
          ['tokens', 'usd', 'calls', 'wall_s'].map((cap) => [
            `budget.${scope}${cap}`,
            null,
            'default',
          ]),
        ),
        ['steering.mode', 'shadow', 'default'],
        ['steering.check_turns', 3, 'default'],
        ['steering.cooldown_turns', 3, 'default'],
        ['steering.held_out', 0.1, 'default'],
        ['steering.learn', true, 'default'],
        ...DETECTORS.flatMap((name) =>
          ['mode', ...thresholdsOf(name)].map((key) => [
            `steering.detectors.${name}.${key}`,
            null,
            'default',
          ]),
        ),
        ['steering.overrides', [], 'default'],
        ['owner.idle_exit', '10m', 'default'],
        ['owner.clear_orphans_after', null, 'default'],
        ['approvals.low_files_max', 2, 'default'],
        ['approvals.low_coverage_min', 80, 'default'],
        ['approvals.high_paths[0]', '**/*auth*', 'default'],
        ['approvals.high_paths[1]', '**/*auth*/**', 'default'],
        ['approvals.high_paths[2]', '**/*login*', 'default'],
        ['approvals.high_paths[3]', '**/*payment*', 'default'],
        ['approvals.high_paths[4]', '**/*payment*/**', 'default'],
        ['approvals.high_paths[5]', '**/*billing*', 'default'],
        ['approvals.high_paths[6]', '**/*billing*/**', 'default'],
        ['approvals.high_paths[7]', '**/security/**', 'default'],
        ['approvals.high_paths[8]', 'api/**', 'default'],
        ['approvals.high_paths[9]', '**/openapi*', 'default'],
        ['approvals.high_files_over', 20, 'default'],
        ['approvals.critical_paths[0]', '**/*encrypt*', 'default'],
        ['approvals.critical_paths[1]', '**/*crypto*', 'default'],
        ['approvals.critical_paths[2]', '**/*secret*', 'default'],
        ['approvals.critical_paths[3]', '**/*credential*', 'default'],
        ['approvals.critical_paths[4]', '**/*.pem', 'default'],
        ['approvals.critical_paths[5]', '**/*.key', 'default'],
        ['approvals.critical_paths[6]', '**/.env*', 'default'],
        ['approvals.critical_paths[7]', '**/*production*', 'default'],
        ['approvals.critical_paths[8]', '**/*production*/**', 'default'],
        ['approvals.critical_paths[9]', '**/*.tf', 'default'],
        ['approvals.critical_people', 2, 'default'],
        ['approvals.high_approvers', [], 'default'],
        ['approvals.critical_approvers', [], 'default'],
        ['approvals.low_timeout', null, 'default'],
        ['approvals.low_on_timeout', 'park', 'default'],
        ['approvals.medium_timeout', null, 'default'],
        ['approvals.medium_on_timeout', 'park', 'default'],
        ['approvals.high_timeout', null, 'default'],
        ['approvals.high_on_timeout', 'park', 'default'],
        ['approvals.critical_timeout', null, 'default'],
        ['approvals.critical_on_timeout', 'park', 'default'],
        ['notifications.terminal[0]', 'approval', 'default'],
        ['notifications.terminal[1]', 'asks', 'default'],
        ['notifications.terminal[2]', 'ended', 'default'],
        ['notifications.notifiers', [], 'default'],
        ['git.auto_branch', true, 'default'],
        ['git.branch_pattern', 'ai/{task_id}-{slug}', 'default'],
        ['git.auto_commit', false, 'default'],
        ['git.dry_run_preview', true, 'default'],
        ['git.pull_requests', false, 'default'],
        ['workflow.template', null, 'default'],
        ['workflow.overrides', null, 'default'],
        ['workflow.disable', null, 'default'],
        ['tree.children', [], 'default'],
        ['tree.depth_max', 4, 'default'],
        ['tree.children_max', 100, 'default'],
      ],
    );
  });

  test('is frozen in every part', async () => {
    const notFrozen: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) notFrozen.push(path);
      for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
    };
    visit(await loadFiles(given), 'loaded');
    visit(defaultSettings, 'defaults');
    assert.deepEqual(notFrozen, []);
  });

  test("has a warning about a secret in the project's file, not in the user's file", async () => {
    const agents =
      'agents: [{id: ID, cli: claude, model: claude-3-5-sonnet-20241022-bedrock-v1, args: [sk-ant-api03-abcdefghijklmnop]}]';
    const { warnings } = await loadFiles({
      user: agents.replace('ID', 'a'),
      project: agents.replace('ID', 'b'),
    });
    assert.deepEqual(warnings, [
      `${PROJECT}:1:84: agents[0].args[0] looks like a secret, and other people may see this file`,
    ]);
  });
});

function thresholdsOf(detector: DetectorName): readonly string[] {
  return Object.keys(THRESHOLDS)
    .filter((name) => name.startsWith(`${detector}.`))
    .map((name) => name.slice(detector.length + 1));
}

describe('the organization of a project', () => {
  const load = async (texts: Readonly<Record<string, string>>) => {
    const reads: string[] = [];
    const { settings } = await loadFiles(
      {},
      {
        project: TrustedProject.fromTexts('shop', texts),
        readFile: async (path) => {
          reads.push(path);
          return undefined;
        },
      },
    );
    return { reads, organization: settings.steering.organization };
  };
  const files = {
    'organization/active.json': '{"org_id": "dev"}',
    'organization/roles/coder.json': '{"role_id": "coder"}',
  };

  test('is part of its settings', async () => {
    const { organization } = await load(files);
    assert.deepEqual(
      [organization?.id, organization?.roles.map(({ id }) => id)],
      ['dev', ['coder']],
    );
  });

  test('costs no read of a file, with an organization or without', async () => {
    const without = await load({});
    const { 'organization/active.json': _, ...inactive } = files;
    assert.equal(without.organization, undefined);
    assert.deepEqual(await load(inactive), without);
    assert.deepEqual((await load(files)).reads, without.reads);
  });

  test('is refused with file, key and line', async () => {
    const role = '{"role_id": "coder",\n "pace_plan": {"alternate": {"trigger": "often"}}}';
    await assert.rejects(
      load({ ...files, 'organization/roles/coder.json': role }),
      /^Refusal: shop\/\.supervisor\/organization\/roles\/coder\.json:2:41: pace_plan\.alternate\.trigger: expected conditions such as/,
    );
  });
});
