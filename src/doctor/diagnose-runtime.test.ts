import { describe } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { answered, failed } from '../../test/support/machine-facts-fixture.ts';
import { diagnoseRuntime } from './diagnose-runtime.ts';

const absent = { kind: 'absent' } as const;
const fedora = { id: 'fedora', like: [], name: 'Fedora 43' };

describe('the diagnosis of the runtime', () => {
  const cases: readonly FindingCase[] = [
    ['Node as it should be', {}, 'node', ['ok', '24.1.0', null, null]],
    [
      'Node that is too old',
      { node: { version: '22.12.0', path: '/n' } },
      'node',
      [
        'broken',
        '22.12.0',
        'older than 24, which Supervisor needs',
        ["npx -p node@24 node '/opt/agent supervisor/bin/supervisor.js' doctor"],
      ],
    ],
    [
      'a Node without SQLite',
      { sqlite: { kind: 'fails', why: 'No such built-in module' } },
      'sqlite',
      [
        'broken',
        null,
        'the SQLite of this Node does not work: No such built-in module',
        ["npx -p node@24 node '/opt/agent supervisor/bin/supervisor.js' doctor"],
      ],
    ],
    [
      'no git on Debian',
      { git: absent },
      'git',
      ['missing', null, null, ['sudo apt-get install -y git']],
    ],
    [
      'no git on Fedora',
      { git: absent, os: fedora },
      'git',
      ['missing', null, null, ['sudo dnf install -y git']],
    ],
    [
      'no git on macOS',
      { git: absent, platform: 'darwin' },
      'git',
      ['missing', null, null, ['brew install git']],
    ],
    [
      'no git for root',
      { git: absent, uid: 0 },
      'git',
      ['missing', null, null, ['apt-get install -y git']],
    ],
    [
      'no git on an unknown system',
      { git: absent, os: undefined },
      'git',
      ['missing', null, null, null],
    ],
    [
      'git that is too old has no newer one in the same release',
      { git: answered('/usr/bin/git', 'git version 2.25.1') },
      'git',
      [
        'limited',
        '2.25.1',
        'older than 2.31: it cannot override the settings of an untrusted repository',
        null,
      ],
    ],
    [
      'git that speaks in riddles',
      { git: answered('/usr/bin/git', 'hello') },
      'git',
      ['limited', '/usr/bin/git', 'its output contains no version', null],
    ],
    [
      'git that hangs',
      { git: { kind: 'unanswered', path: '/usr/bin/git', afterMs: 5000 } },
      'git',
      ['limited', '/usr/bin/git', 'it did not print its version within 5 s', null],
    ],
    [
      'git that fails',
      { git: failed('/usr/bin/git', 1, '\nxcrun: error: invalid active developer path\nmore') },
      'git',
      [
        'broken',
        '/usr/bin/git',
        'exited with code 1: xcrun: error: invalid active developer path',
        null,
      ],
    ],
    [
      'root',
      { uid: 0 },
      'account',
      [
        'limited',
        'root',
        'an agent that escapes its sandbox controls the machine, and some CLIs refuse to run unattended as root',
        ['useradd --create-home agents', 'su - agents'],
      ],
    ],
    [
      'a container',
      { container: 'docker' },
      'container',
      [
        'ok',
        'docker',
        'the state is deleted with the container, unless SUPERVISOR_HOME is on a volume',
        null,
      ],
    ],
    [
      'CI',
      { ci: 'GitHub Actions' },
      'ci',
      [
        'ok',
        'GitHub Actions',
        'use --foreground, because background processes end with the job',
        null,
      ],
    ],
  ];
  testFindings(cases, (facts) => diagnoseRuntime(facts));
});
