import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openTrustedProject } from '../../test/support/trust-project.ts';
import { loadSettings } from './load-settings.ts';

const USER = `
agents: [{id: mine, cli: claude}]
gates: [{name: tests, command: [npm, test]}]
budget: {usd: 5, project: {usd: 50}, tree: {tokens: 1000}}
sandbox: {memory: 2GB, mounts: [{path: /opt/sdk}]}
attempt: {deadline: 1h}
gateway: {private_hosts: [models.example.org]}
`;

/** In a project that the user trusts: cases C2, H1 and H2 with their variants. */
const HOSTILE: readonly (readonly [why: string, config: string, key: string])[] = [
  // code outside the sandbox, and ids that exist
  ['a scripted agent', 'agents: [{id: x, cli: scripted}]', 'agents[0].cli'],
  [
    'a scripted agent with NODE_OPTIONS',
    'agents: [{id: x, cli: scripted, env: {NODE_OPTIONS: --import=./x.mjs}}]',
    'agents[0].cli',
  ],
  ['another claude', 'agents: [{id: claude, cli: custom, command: [./x.sh]}]', 'agents[0].id'],
  ['another scripted program', 'agents: [{id: "scripted:x", cli: claude}]', 'agents[0].id'],
  ['another custom', 'agents: [{id: custom, cli: claude}]', 'agents[0].id'],
  ["the id of a user's agent", 'agents: [{id: mine, cli: codex}]', 'agents[0].id'],
  ["the removal of the user's agents", 'agents: null', 'agents'],
  ["a replacement for the user's agents", 'agents: {replace: [{id: y, cli: claude}]}', 'agents'],
  // provider addresses, credentials and loaders
  ...(
    [
      'ANTHROPIC_BASE_URL',
      'OPENAI_BASE_URL',
      'GOOGLE_GEMINI_BASE_URL',
      'HTTPS_PROXY',
      'https_proxy',
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'PATH',
      'BASH_ENV',
      'GIT_SSH_COMMAND',
      'PYTHONSTARTUP',
      'HOME',
    ] as const
  ).map((name): [string, string, string] => [
    `the variable ${name}`,
    `agents: [{id: x, cli: claude, env: {${name}: "http://127.0.0.1:1"}}]`,
    'agents[0].env',
  ]),
  ['a login', 'agents: [{id: x, cli: claude, config_dir: ~/other}]', 'agents[0].config_dir'],
  ...(['url = "http://127.0.0.1:1"', '{gateway_url}', 'hook = "./x.sh"'] as const).map(
    (content): [string, string, string] => [
      `settings of a program with ${content}`,
      `agents: [{id: x, cli: custom, command: [tool], files: {.tool/s.toml: '${content}'}}]`,
      'agents[0].files',
    ],
  ),
  // files
  ...(
    [
      '~/.bashrc',
      '~/.claude',
      '~/.ssh',
      '~/bin',
      '/etc/cron.d',
      '/',
      'PROJECT/../other',
      'PROJECT/out',
    ] as const
  ).map((path): [string, string, string] => [
    `a mount of ${path}`,
    `sandbox: {mounts: [{path: ${path}}]}`,
    'sandbox.mounts[0].path',
  ]),
  [
    'a writable mount of the project',
    'sandbox: {mounts: [{path: PROJECT/data, mode: rw}]}',
    'sandbox.mounts[0].mode',
  ],
  [
    'a toolchain',
    'sandbox: {grants: {toolchains: [~/.cargo/bin]}}',
    'sandbox.grants.toolchains[0]',
  ],
  ['a script of the user', 'sandbox: {preflight: [~/bin/x.sh]}', 'sandbox.preflight[0]'],
  [
    'a script with .. in its path',
    'sandbox: {preflight: [./.supervisor/../../x.sh]}',
    'sandbox.preflight[0]',
  ],
  [
    'a script behind a link',
    'sandbox: {preflight: [./.supervisor/link.sh]}',
    'sandbox.preflight[0]',
  ],
  ['a script that is not trusted', 'sandbox: {preflight: [./x.sh]}', 'sandbox.preflight[0]'],
  // the network
  ...(
    [
      'localhost:8080',
      'localhost',
      'db',
      'printer.local',
      'metadata.google.internal',
      'host.docker.internal',
      'nas.home.arpa',
      '127.0.0.1.nip.io',
      // M9: the user allows this host for a provider.
      'models.example.org',
      'models.example.org:22',
    ] as const
  ).map((host): [string, string, string] => [
    `the host ${host}`,
    `sandbox: {network: ["${host}"]}`,
    'sandbox.network[0]',
  ]),
  ['a private host for a setup', 'setup: {command: [a], network: [10.0.0.1]}', 'setup.network[0]'],
  ['a private registry of images', 'sandbox: {image: "localhost:5000/x"}', 'sandbox.image'],
  // wider limits and budgets
  ['no sandbox', 'sandbox: {backend: none}', 'sandbox.backend'],
  ['more memory', 'sandbox: {memory: 3GB}', 'sandbox.memory'],
  ['more processes', 'sandbox: {pids: 100000}', 'sandbox.pids'],
  ['a later deadline', 'attempt: {deadline: 2h}', 'attempt.deadline'],
  ['no deadline', 'attempt: {deadline: null}', 'attempt.deadline'],
  ['a larger budget', 'budget: {usd: 6}', 'budget.usd'],
  ['no budget', 'budget: {usd: null}', 'budget.usd'],
  ['no budgets at all', 'budget: null', 'budget'],
  ['a larger budget of the project', 'budget: {project: {usd: 51}}', 'budget.project.usd'],
  [
    'free models',
    'gateway: {prices: [{model: claude, input: 0, output: 0}]}',
    'gateway.prices[0].model',
  ],
  ['tools of the provider', 'gateway: {server_tools: [web_fetch]}', 'gateway.server_tools[0]'],
  [
    'a gate that proves nothing',
    'gates: [{name: g, command: [a], accept_unprotected: true}]',
    'gates[0].accept_unprotected',
  ],
  ['longer patience', 'gateway: {silence: 1h}', 'gateway.silence'],
  ['less free disk space', 'limits: {disk_free: 0B}', 'limits.disk_free'],
  [
    'another classification of ends',
    'classify: {rules: [{id: a, reason: auth, pattern: x}]}',
    'classify.rules[0].id',
  ],
  ['an owner that stays', 'owner: {idle_exit: 365d}', 'owner.idle_exit'],
  ["the removal of the user's gates", 'gates: null', 'gates'],
  ["a gate in place of the user's", 'gates: [{name: tests, command: ["true"]}]', 'gates[0].name'],
  // the same below the tree
  [
    'a mount of a long-lived agent',
    'tree: {children: [{name: a, assignment: x, sandbox: {mounts: [{path: ~/.ssh}]}}]}',
    'tree.children[0].sandbox.mounts[0].path',
  ],
  [
    'a queue outside, two levels down',
    'tree: {children: [{name: s, children: [{name: a, assignment: x, queue: {dir: ~/mail}}]}]}',
    'tree.children[0].children[0].queue.dir',
  ],
  [
    'a budget of a long-lived agent',
    'tree: {children: [{name: a, assignment: x, budget: {usd: 6}}]}',
    'tree.children[0].budget.usd',
  ],
  [
    'toolchains of a long-lived agent',
    'tree: {children: [{name: a, assignment: x, sandbox: {toolchains: [/opt/x]}}]}',
    'tree.children[0].sandbox.toolchains[0]',
  ],
  ['a deeper tree', 'tree: {depth_max: 10}', 'tree.depth_max'],
];

async function load(dir: string, config: string, user = USER) {
  const [home, project] = [join(dir, 'home'), join(dir, 'project')];
  await mkdir(join(project, '.supervisor'), { recursive: true });
  await mkdir(join(project, 'data'));
  await mkdir(join(dir, 'other'));
  await mkdir(home);
  await symlink('../other', join(project, 'out'));
  await symlink('../../other/x.sh', join(project, '.supervisor/link.sh'));
  await writeFile(join(dir, 'other/x.sh'), 'id\n');
  await writeFile(join(project, '.supervisor/ok.sh'), 'true\n');
  await writeFile(join(home, 'config.yaml'), user);
  const file = join(project, '.supervisor/config.yaml');
  await writeFile(file, config.replaceAll('PROJECT', project));
  const trusted = await openTrustedProject(home, project);
  const userDir = join(dir, 'ada');
  return loadSettings({ home, project: trusted, userDir, readFile: readTextFile });
}

describe('a trusted project may still not set', () => {
  for (const [why, config, key] of HOSTILE)
    test(why, async () => {
      await using dir = await tempDir();
      const error = await load(dir.path, config).catch((thrown: unknown) => thrown);
      assert.ok(isRefusal(error, 'config.invalid'), String(error));
      const where = `${join(dir.path, 'project/.supervisor/config.yaml')}:1:`;
      assert.ok(error.message.startsWith(where), error.message);
      assert.ok(error.message.includes(`${key}: a project may not set this`), error.message);
      assert.match(error.data.hint ?? '', /your own file, \$SUPERVISOR_HOME\/config\.yaml/);
    });
});

describe('a trusted project may set', () => {
  const good: [why: string, config: string][] = [
    [
      'gates and a setup',
      'gates: [{name: lint, command: [npm, run, lint]}]\nsetup: {command: [npm, ci], network: [registry]}',
    ],
    [
      'its own agent',
      'agents: [{id: house, cli: custom, command: [./agent.sh]}]\ndefault_agent: house',
    ],
    ['narrower limits', 'sandbox: {memory: 1GB}\nbudget: {usd: 1}\nattempt: {deadline: 5m}'],
    [
      'its own files, read-only',
      'sandbox: {mounts: [{path: PROJECT/data, to: /data}], preflight: [./.supervisor/ok.sh]}',
    ],
    ['public hosts', 'sandbox: {network: [example.org, "files.example.org:8443"]}'],
    ['which agent starts', 'default_agent: mine\nselection: {fallbacks: {mine: codex}}'],
  ];
  for (const [why, config] of good)
    test(why, async () => {
      await using dir = await tempDir();
      await assert.doesNotReject(load(dir.path, config));
    });

  test('agents, which are marked so that they never run without a sandbox', async () => {
    await using dir = await tempDir();
    const { settings } = await load(dir.path, 'agents: [{id: house, cli: claude}]');
    assert.deepEqual(
      settings.agents.map(({ id, fromProject }) => [id, fromProject]),
      [
        ['mine', undefined],
        ['house', true],
      ],
    );
  });
});
