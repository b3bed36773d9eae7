import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_STEERING } from '../protocol/contracts/steering-contract.ts';
import * as fc from 'fast-check';
import { ConfigFile, readSetting } from './config-file.ts';
import { parseDurationMs, parseSizeBytes } from './quantity.ts';
import { defaultSettings, findAgent, toSettings } from './settings.ts';

const LEARNED = { samplesMin: 10, days: 30, deviationMax: 0.2 };

describe('a quantity', () => {
  const durations: [why: string, written: string | number, ms: number | undefined][] = [
    ['milliseconds', '500ms', 500],
    ['seconds', '10s', 10_000],
    ['minutes', '5m', 300_000],
    ['hours', '12h', 43_200_000],
    ['days', '1d', 86_400_000],
    ['a plain number is seconds', 90, 90_000],
    ['zero is a duration too', '0s', 0],
    ['a text without a unit is not a duration', '90', undefined],
    ['a fraction is not a duration', '1.5h', undefined],
    ['a fraction of a second is not a duration', 1.5, undefined],
    ['a negative number is not a duration', -1, undefined],
    ['two units are not a duration', '1h30m', undefined],
    ['a space is not allowed', '10 s', undefined],
    ['more than nine digits are not allowed', '1000000000s', undefined],
    ['an unknown unit is not allowed', '3w', undefined],
    ['a name from the prototype is not a unit', '3constructor', undefined],
  ];
  for (const [why, written, ms] of durations) {
    test(`of time: ${why}`, () => assert.equal(parseDurationMs(written), ms));
  }

  const sizes: [why: string, written: string | number, bytes: number | undefined][] = [
    ['bytes', '7B', 7],
    ['kilobytes', '512kB', 512_000],
    ['kilobytes with a capital K', '512KB', 512_000],
    ['megabytes', '10MB', 10_000_000],
    ['gigabytes', '1GB', 1_000_000_000],
    ['a plain number is bytes', 4096, 4096],
    ['a prefix without B is not a size', '10M', undefined],
  ];
  for (const [why, written, bytes] of sizes) {
    test(`of data: ${why}`, () => assert.equal(parseSizeBytes(written), bytes));
  }
});

const NO_CAPS = { tokens: null, usd: null, calls: null, wallMs: null };

describe('settings', () => {
  test('have these values without any file', () => {
    assert.deepEqual(defaultSettings, {
      version: 1,
      agents: [],
      defaultAgent: null,
      selection: {
        mode: 'fallback',
        fallbacks: {},
        pinned: null,
        learned: 'suggest',
        learnedRules: LEARNED,
      },
      recovery: {
        preset: 'fallback-first',
        retriesPerAgent: null,
        attemptsMax: null,
        cooldownMs: 3_600_000,
        waitForReset: true,
        waitMaxMs: 43_200_000,
        ask: true,
      },
      capacity: { runsMax: 4, perAgentMax: 2 },
      gates: [],
      baseline: true,
      setup: null,
      requireSetup: true,
      approvals: {
        low: { filesMax: 2, coverageMin: 80 },
        high: {
          paths: [
            '**/*auth*',
            '**/*auth*/**',
            '**/*login*',
            '**/*payment*',
            '**/*payment*/**',
            '**/*billing*',
            '**/*billing*/**',
            '**/security/**',
            'api/**',
            '**/openapi*',
          ],
          filesOver: 20,
        },
        critical: {
          paths: [
            '**/*encrypt*',
            '**/*crypto*',
            '**/*secret*',
            '**/*credential*',
            '**/*.pem',
            '**/*.key',
            '**/.env*',
            '**/*production*',
            '**/*production*/**',
            '**/*.tf',
          ],
          peopleMin: 2,
        },
        approvers: { high: [], critical: [] },
        timeouts: {},
      },
      notifications: { terminal: ['approval', 'asks', 'ended'], notifiers: [] },
      git: {
        autoBranch: true,
        branchPattern: 'ai/{task_id}-{slug}',
        autoCommit: false,
        dryRunPreview: true,
        pullRequests: false,
      },
      limits: { attempts: 10, startsPerMinute: null, diskFreeBytes: 500_000_000 },
      attempt: {
        graceMs: 10_000,
        deadlineMs: null,
        interruptionsMax: 3,
        outputBytesMax: 10_000_000,
      },
      sandbox: {
        backend: 'auto',
        image: null,
        pull: 'missing',
        memoryBytes: 4_000_000_000,
        cpus: 2,
        pids: 512,
        diskBytes: 10_000_000_000,
        tmpBytes: 500_000_000,
        mounts: [],
        preflight: [],
        hosts: [],
        grants: { toolchains: [], files: [], gitIdentity: null },
      },
      classify: { rules: [] },
      gateway: {
        limitPatienceMs: 60_000,
        outagePatienceMs: 10_000,
        callsPerProject: 10,
        silenceMs: 180_000,
        requestBytesMax: 32_000_000,
        recordBytesMax: 64_000_000,
        privateHosts: [],
        serverTools: [],
        prices: [],
      },
      budget: { run: NO_CAPS, project: NO_CAPS, tree: NO_CAPS },
      steering: DEFAULT_STEERING,
      owner: { idleExitMs: 600_000, clearOrphansAfterMs: null },
      tree: { places: [], agents: [], depthMax: 4, childrenMax: 100 },
    });
  });

  test('are frozen in every part', () => {
    const { agents } = toSettings({ agents: [{ id: 'a', cli: 'claude' }] }, '/u');
    const parts = [defaultSettings, defaultSettings.sandbox.grants.files, agents, agents[0]?.env];
    assert.deepEqual(
      parts.map((part) => Object.isFrozen(part)),
      [true, true, true, true],
    );
  });

  test('contain the budget and the prices of a file', () => {
    const written = {
      gateway: { prices: [{ model: 'house', input: 1, output: 2.5, cache_write: 3 }] },
      budget: { usd: 2.5, wall_s: 7200, tree: { tokens: 1000 } },
    };
    const { gateway, budget } = toSettings(written, '/u');
    assert.deepEqual(gateway.prices, [{ model: 'house', input: 1, output: 2.5, cacheWrite: 3 }]);
    assert.deepEqual(budget, {
      run: { ...NO_CAPS, usd: 2.5, wallMs: 7_200_000 },
      project: NO_CAPS,
      tree: { ...NO_CAPS, tokens: 1000 },
    });
  });

  test('contain the selection, recovery, gates and setup of a file', () => {
    const written = {
      selection: {
        ...{ mode: 'pinned', pinned: 'a', fallbacks: { a: 'b' }, learned: 'on' },
        ...{ learned_days: 90, learned_deviation_max: 0.5 },
      },
      recovery: { preset: 'step-feedback', retries_per_agent: 0, attempts_max: 30, cooldown_s: 60 },
      gates: [{ name: 'test', command: ['npm', 'test'] }],
      setup: { command: ['npm', 'ci'], inputs: ['package-lock.json'], network: ['registry'] },
    };
    const { selection, recovery, gates, setup } = toSettings(written, '/u');
    assert.deepEqual(selection, {
      ...{ mode: 'pinned', pinned: 'a', fallbacks: { a: 'b' }, learned: 'on' },
      learnedRules: { ...LEARNED, days: 90, deviationMax: 0.5 },
    });
    assert.deepEqual(recovery, {
      ...defaultSettings.recovery,
      preset: 'step-feedback',
      retriesPerAgent: 0,
      attemptsMax: 30,
      cooldownMs: 60_000,
    });
    assert.deepEqual(gates, [{ ...written.gates[0], timeoutMs: 600_000 }]);
    assert.deepEqual(setup, { ...written.setup, timeoutMs: 1_800_000 });
  });

  test('have the home directory in place of ~ in paths', () => {
    const agents = [{ id: 'a', cli: 'claude', config_dir: '~/$&', env: { A: '1' } }];
    assert.deepEqual(toSettings({ agents }, '/users/ann').agents, [
      {
        id: 'a',
        cli: 'claude',
        args: [],
        model: null,
        configDir: '/users/ann/$&',
        env: { A: '1' },
        command: null,
        output: null,
      },
    ]);
  });

  test('have the default of each key that a section leaves out', () => {
    const { sandbox } = toSettings({ sandbox: { cpus: 1, grants: { files: ['.env'] } } }, '/u');
    const { grants } = defaultSettings.sandbox;
    assert.deepEqual(sandbox, {
      ...defaultSettings.sandbox,
      cpus: 1,
      grants: { ...grants, files: ['.env'] },
    });
  });

  test('show a mount at its own path unless `to` is set', () => {
    const sandbox = {
      mounts: [{ path: '~/a' }, { path: '/b', to: '/c', mode: 'rw' }],
      preflight: ['~/p', './q'],
    };
    const { mounts, preflight } = toSettings({ sandbox }, '/users/ann').sandbox;
    assert.deepEqual(mounts, [
      { from: '/users/ann/a', to: '/users/ann/a', mode: 'ro' },
      { from: '/b', to: '/c', mode: 'rw' },
    ]);
    assert.deepEqual(preflight, ['/users/ann/p', './q']);
  });

  test('add the flags of an agent to its arguments', () => {
    const agents = [{ id: 'a', cli: 'claude', args: ['-v'], flags: '--name "a b"' }];
    const [agent] = toSettings({ agents }, '/u').agents;
    assert.deepEqual(agent?.args, ['-v', '--name', 'a b']);
  });

  test('have null for each key of a custom agent that is not written', () => {
    const output = { format: 'jsonl', result: 'a.b' };
    const agents = [{ id: 'a', cli: 'custom', command: ['./a', '{prompt}'], output }];
    const [agent] = toSettings({ agents }, '/u').agents;
    assert.deepEqual(
      [agent?.command, agent?.output],
      [
        ['./a', '{prompt}'],
        { format: 'jsonl', result: 'a.b', usage: null, session: null, error: null },
      ],
    );
  });

  test('can be read one value at a time, in the units of its key', () => {
    const cases: [path: (string | number)[], written: unknown, read: unknown][] = [
      [['attempt', 'grace'], '5m', 300_000],
      [['attempt', 'grace'], 5, 5000],
      [['limits', 'disk_free'], '1GB', 1_000_000_000],
      [['tree', 'children', 0, 'children', 1, 'sandbox', 'memory'], '64MB', 64_000_000],
      [['attempt', 'grace'], '5 minutes', undefined],
      [['attempt', 'other'], 5, undefined],
    ];
    assert.deepEqual(
      cases.map(([path, written]) => readSetting(path, written)),
      cases.map(([, , read]) => read),
    );
  });

  test('name the modes of steering, and say that a conversation is never rewritten', () => {
    const refused = (mode: string): string | undefined =>
      ConfigFile.safeParse({ steering: { mode } }).error?.issues[0]?.message;
    const modes = 'one of off, shadow, steer, auto';
    assert.deepEqual(['loud', 'surgery', 'rewrite'].map(refused), [
      modes,
      ...Array.from({ length: 2 }, () => `${modes} (no conversation is ever rewritten)`),
    ]);
  });

  test('are the same value after a round trip through JSON', () => {
    const agent = fc.record(
      {
        id: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
        cli: fc.constantFrom('claude', 'scripted'),
        args: fc.array(fc.stringMatching(/^[ -~]*$/)),
        model: fc.stringMatching(/^[ -~]{1,20}$/),
        env: fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fc.stringMatching(/^[ -~]*$/)),
      },
      { requiredKeys: ['id', 'cli'] },
    );
    fc.assert(
      fc.property(
        fc.array(agent, { maxLength: 4 }),
        fc.integer({ min: 1, max: 600 }),
        (agents, grace) => {
          const settings = toSettings({ agents, attempt: { grace } }, '/u');
          const pinned: unknown = JSON.parse(JSON.stringify(settings));
          assert.deepEqual(pinned, settings);
        },
      ),
    );
  });

  test('are refused if they have an unknown key', () => {
    assert.equal(ConfigFile.safeParse({ extra: 1 }).success, false);
  });
});

describe('an agent is found by its id', () => {
  const own = { id: 'claude', cli: 'claude', model: 'large' };
  const settings = toSettings({ agents: [own, { id: 'b', cli: 'codex' }] }, '/u');
  const plain = {
    args: [],
    model: null,
    configDir: null,
    env: {},
    command: null,
    output: null,
  };
  const cases: [why: string, id: string, found: unknown][] = [
    ["the user's agent", 'b', { ...plain, id: 'b', cli: 'codex' }],
    ["the user's agent before the built-in one", 'claude', { ...plain, ...own }],
    ['the built-in agent', 'gemini', { ...plain, id: 'gemini', cli: 'gemini' }],
    ['custom is not a built-in agent', 'custom', undefined],
    ['an unknown name', 'nobody', undefined],
  ];
  for (const [why, id, found] of cases) {
    test(why, () => assert.deepEqual(findAgent(settings, id), found));
  }
});
