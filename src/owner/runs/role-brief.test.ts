import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { BriefStore } from '../../brief/brief-store.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { toSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openTrustedProject } from '../../../test/support/trust-project.ts';
import type { RoleBrief } from './role-brief.ts';
import { briefRequest } from './role-brief.ts';

const SECRET = 'correct-horse-battery';
const FILES = {
  'README.md': `# A shop\n\nIts door opens to ${SECRET}.\n`,
  '.supervisor/roles/quick.yaml':
    'extends: planner\ncli: codex\nflags: [--fast]\nallowed_tools: [read]\n',
  '.supervisor/roles/hasty.yaml': 'extends: planner\ndeadline: 2h\n',
  '.supervisor/roles/wide.yaml': 'extends: quick\ncontext: { token_budget: 3000 }\n',
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`docs/${n}.md`, `note ${n} of many\n`.repeat(20)]),
  ),
  '.supervisor/roles/careful.yaml':
    'extends: implementer\ngates:\n  - {name: test, command: make test}\n  - {name: spell, command: spell, on_fail: warn}\n',
};
const GATES = [
  { name: 'test', command: ['npm', 'test'] },
  { name: 'lint', command: ['npm', 'run', 'lint'] },
];

async function prepareRole(
  config: object,
  role: string,
  options: Pick<RunRequest, 'agent' | 'chain'> = {},
): Promise<RoleBrief & { readonly prompt: string }> {
  await using dir = await tempDir();
  const project = join(dir.path, 'project');
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  const home = join(dir.path, 'home');
  const store = new BriefStore(join(home, 'briefs'));
  const result = await briefRequest(
    { task: 'Plan it.', project, role, targets: ['README.md'], ...options },
    toSettings(config, '/u'),
    {
      home,
      project: await openTrustedProject(home, project),
      store,
      env: { SHOP_KEY: SECRET },
      runCommand: async () => '',
    },
  );
  return { ...result, prompt: await store.read(result.brief.hash) };
}

describe('a role', () => {
  const two = {
    agents: [
      { id: 'main', cli: 'claude' },
      { id: 'second', cli: 'codex' },
    ],
  };
  const cases: [
    why: string,
    config: object,
    options: Pick<RunRequest, 'agent' | 'chain'>,
    used: object,
  ][] = [
    ['uses the CLI that it names, if no agent is configured', {}, {}, { agent: 'codex' }],
    ['uses the first agent with its CLI', two, {}, { agent: 'second' }],
    [
      'uses an agent with exactly its name',
      { agents: [...two.agents, { id: 'codex', cli: 'codex' }] },
      {},
      { agent: 'codex' },
    ],
    [
      'uses its CLI, followed by the agents of the project',
      { agents: [two.agents[0]] },
      {},
      { chain: ['codex', 'main'] },
    ],
    ['uses the agent that the user names', two, { agent: 'main' }, { agent: 'main' }],
    ['uses the chain that the user names', two, { chain: ['main'] }, { chain: ['main'] }],
  ];
  for (const [why, config, options, used] of cases)
    test(why, async () => {
      const { request } = await prepareRole(config, 'quick', options);
      const { agent, chain } = request;
      assert.deepEqual({ ...(agent && { agent }), ...(chain && { chain }) }, used);
    });

  test('limits the time of an attempt, and never gives more than the settings do', async () => {
    const limitOf = async (attempt: object, role: string): Promise<number | null> =>
      (await prepareRole({ attempt }, role)).settings.attempt.deadlineMs;
    const HOUR = 3_600_000;
    assert.deepEqual(
      [
        await limitOf({}, 'planner'),
        await limitOf({}, 'hasty'),
        await limitOf({ deadline: '1h' }, 'hasty'),
        await limitOf({ deadline: '3h' }, 'hasty'),
        await limitOf({ deadline: '3h' }, 'planner'),
      ],
      [null, 2 * HOUR, HOUR, 2 * HOUR, 3 * HOUR],
    );
  });

  test('fits its context into the budget for the CLI of the chain that counts the most tokens', async () => {
    const chars = async (config: object, options: Pick<RunRequest, 'agent' | 'chain'>) =>
      (await prepareRole(config, 'wide', options)).prompt.length;
    const alone = await chars(two, { chain: ['second'] });
    assert.ok((await chars(two, {})) < alone, 'claude may be next, and counts more tokens');
    assert.equal(await chars({}, {}), alone);
    assert.equal(await chars(two, { agent: 'main' }), await chars(two, {}));
  });

  test('passes its flags only to its own agent, not to one that replaces it', async () => {
    const readArgs = ({ settings }: RoleBrief) =>
      settings.agents.map(({ id, args }) => [id, ...args]);
    assert.deepEqual(readArgs(await prepareRole(two, 'quick')), [['main'], ['second', '--fast']]);
    assert.deepEqual(readArgs(await prepareRole(two, 'quick', { agent: 'main' })), [
      ['main'],
      ['second'],
    ]);
    assert.deepEqual(readArgs(await prepareRole({}, 'quick')), [['codex', '--fast']]);
  });

  test('adds its own gates, and keeps those of the settings if it writes code', async () => {
    const gateLines = ({ settings }: RoleBrief) =>
      settings.gates.map(({ command }) => command.join(' '));
    assert.deepEqual(gateLines(await prepareRole({ gates: GATES }, 'implementer')), [
      'npm test',
      'npm run lint',
    ]);
    assert.deepEqual(gateLines(await prepareRole({ gates: GATES }, 'careful')), [
      'npm test',
      'npm run lint',
      'sh -c make test',
      'sh -c spell',
    ]);
    const { settings } = await prepareRole({ gates: GATES }, 'careful');
    assert.deepEqual(
      settings.gates.map(({ name, warns = false }) => [name, warns]),
      [
        ['test', false],
        ['lint', false],
        ['test', false],
        ['spell', true],
      ],
    );
    assert.deepEqual(gateLines(await prepareRole({ gates: GATES }, 'quick')), []);
  });

  test('sets its tools and the form of its answer, and its prompt has no secrets', async () => {
    const { brief, prompt } = await prepareRole({}, 'quick');
    assert.deepEqual([brief.role, brief.answer, brief.allowedTools], ['quick', 'plan', ['read']]);
    assert.match(prompt, /Its door opens to \[redacted\]\./);
    assert.doesNotMatch(prompt, new RegExp(SECRET));
    assert.equal((await prepareRole({}, 'implementer')).brief.allowedTools, null);
  });
});
