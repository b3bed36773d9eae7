import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { chooseFixes } from './choose-fixes.ts';
import { diagnose } from './diagnose.ts';
import type { MachineFacts } from './machine-facts.ts';

const absent = { kind: 'absent' } as const;
const noAgents = { agents: goodMachine.agents.map((agent) => ({ ...agent, version: absent })) };

describe('doctor --fix', () => {
  const cases: [why: string, change: Partial<MachineFacts>, offered: string[]][] = [
    ['offers nothing on a good machine', {}, []],
    [
      'offers to fix what is broken',
      { docker: failed('/usr/bin/docker', 1, 'Cannot connect to the Docker daemon', '28.2.2\n') },
      ['docker: sudo systemctl enable --now docker'],
    ],
    ['offers git', { git: absent }, ['git: sudo apt-get install -y git']],
    [
      'offers each sandbox if there is none',
      { bubblewrap: { version: absent, trial: null } },
      [
        'bubblewrap: sudo apt-get install -y bubblewrap',
        'podman: sudo apt-get install -y podman',
        'docker: sudo apt-get install -y docker.io && sudo systemctl enable --now docker',
      ],
    ],
    [
      'offers each agent if none is ready, with its login',
      { agents: noAgents.agents.slice(0, 2) },
      [
        'claude: npm install --global @anthropic-ai/claude-code@latest && claude auth login',
        'codex: npm install --global @openai/codex@latest && codex login',
      ],
    ],
    [
      'offers first what keeps Supervisor from running',
      { git: absent, node: { version: '20.0.0', path: '/n' } },
      [
        "node: npx -p node@24 node '/opt/agent supervisor/bin/supervisor.js' doctor",
        'git: sudo apt-get install -y git',
      ],
    ],
  ];
  for (const [why, change, offered] of cases)
    test(why, () =>
      assert.deepEqual(
        chooseFixes(diagnose({ ...goodMachine, ...change })).map(
          ({ finding, commands }) => `${finding.id}: ${commands.join(' && ')}`,
        ),
        offered,
      ),
    );
});
