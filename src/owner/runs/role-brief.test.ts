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

async function briefed(
  config: object,
  role: string,
  wish: Pick<RunRequest, 'agent' | 'chain'> = {},
): Promise<RoleBrief & { readonly prompt: string }> {
  await using dir = await tempDir();
  const project = join(dir.path, 'project');
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  const home = join(dir.path, 'home');
  const store = new BriefStore(join(home, 'briefs'));
  const made = await briefRequest(
    { task: 'Plan it.', project, role, targets: ['README.md'], ...wish },
    toSettings(config, '/u'),
    {
      home,
      project: await openTrustedProject(home, project),
      store,
      env: { SHOP_KEY: SECRET },
      runCommand: async () => '',
    },
  );
  return { ...made, prompt: await store.read(made.brief.hash) };
}

describe('what a role makes of a request', () => {
  const two = {
    agents: [
      { id: 'main', cli: 'claude' },
      { id: 'second', cli: 'codex' },
    ],
  };
  const cases: [
    why: string,
    config: object,
    wish: Pick<RunRequest, 'agent' | 'chain'>,
    used: object,
  ][] = [
    ['the CLI that it names, where nothing is configured', {}, {}, { agent: 'codex' }],
    ['the first agent that is such a CLI', two, {}, { agent: 'second' }],
    [
      'an agent of that very name',
      { agents: [...two.agents, { id: 'codex', cli: 'codex' }] },
      {},
      { agent: 'codex' },
    ],
    [
      'that CLI, and behind it the agents of the project',
      { agents: [two.agents[0]] },
      {},
      { chain: ['codex', 'main'] },
    ],
    ['what the user names', two, { agent: 'main' }, { agent: 'main' }],
    ['the chain that the user names', two, { chain: ['main'] }, { chain: ['main'] }],
  ];
  for (const [why, config, wish, used] of cases)
    test(`its agent: ${why}`, async () => {
      const { request } = await briefed(config, 'quick', wish);
      const { agent, chain } = request;
      assert.deepEqual({ ...(agent && { agent }), ...(chain && { chain }) }, used);
    });

  test('its budget has room for whoever of the chain makes most tokens of it', async () => {
    const chars = async (config: object, wish: Pick<RunRequest, 'agent' | 'chain'>) =>
      (await briefed(config, 'wide', wish)).prompt.length;
    const alone = await chars(two, { chain: ['second'] });
    assert.ok((await chars(two, {})) < alone, 'claude may be next, and makes more of it');
    assert.equal(await chars({}, {}), alone);
    assert.equal(await chars(two, { agent: 'main' }), await chars(two, {}));
  });

  test('its flags are for its own agent, and for nobody in its stead', async () => {
    const argsOf = ({ settings }: RoleBrief) =>
      settings.agents.map(({ id, args }) => [id, ...args]);
    assert.deepEqual(argsOf(await briefed(two, 'quick')), [['main'], ['second', '--fast']]);
    assert.deepEqual(argsOf(await briefed(two, 'quick', { agent: 'main' })), [
      ['main'],
      ['second'],
    ]);
    assert.deepEqual(argsOf(await briefed({}, 'quick')), [['codex', '--fast']]);
  });

  test('its own gates, and all those of the settings where it writes code', async () => {
    const linesOf = ({ settings }: RoleBrief) =>
      settings.gates.map(({ command }) => command.join(' '));
    assert.deepEqual(linesOf(await briefed({ gates: GATES }, 'implementer')), [
      'npm test',
      'npm run lint',
    ]);
    assert.deepEqual(linesOf(await briefed({ gates: GATES }, 'careful')), [
      'npm test',
      'npm run lint',
      'sh -c make test',
      'sh -c spell',
    ]);
    const { settings } = await briefed({ gates: GATES }, 'careful');
    assert.deepEqual(
      settings.gates.map(({ name, warns = false }) => [name, warns]),
      [
        ['test', false],
        ['lint', false],
        ['test', false],
        ['spell', true],
      ],
    );
    assert.deepEqual(linesOf(await briefed({ gates: GATES }, 'quick')), []);
  });

  test('its tools and the form of its answer, and a prompt without what is secret here', async () => {
    const { brief, prompt } = await briefed({}, 'quick');
    assert.deepEqual([brief.role, brief.answer, brief.allowedTools], ['quick', 'plan', ['read']]);
    assert.match(prompt, /Its door opens to \[redacted\]\./);
    assert.doesNotMatch(prompt, new RegExp(SECRET));
    assert.equal((await briefed({}, 'implementer')).brief.allowedTools, null);
  });
});
