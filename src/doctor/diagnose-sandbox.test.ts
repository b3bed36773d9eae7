import { describe } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { answered, failed, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnoseSandbox } from './diagnose-sandbox.ts';
import type { MachineFacts } from './machine-facts.ts';

const absent = { kind: 'absent' } as const;
const ubuntu = { id: 'ubuntu', like: ['debian'], name: 'Ubuntu 24.04' };
const refused = failed('/usr/bin/bwrap', 1, 'bwrap: setting up uid map: Permission denied\n');
const switches = goodMachine.namespaces;

function bwrap(version: string, trial = answered('/usr/bin/bwrap', '')): Partial<MachineFacts> {
  return { bubblewrap: { version: answered('/usr/bin/bwrap', `bubblewrap ${version}`), trial } };
}

describe('the diagnosis of sandboxes', () => {
  const cases: readonly FindingCase[] = [
    ['a sandbox that works', {}, 'bubblewrap', ['ok', '0.8.0', null, null]],
    [
      'no bubblewrap',
      { bubblewrap: { version: absent, trial: null } },
      'bubblewrap',
      ['missing', null, null, ['sudo apt-get install -y bubblewrap']],
    ],
    [
      'bubblewrap that is too old',
      bwrap('0.6.1'),
      'bubblewrap',
      [
        'limited',
        '0.6.1',
        'older than 0.8: it cannot keep programs inside from creating namespaces',
        null,
      ],
    ],
    [
      'bubblewrap on Ubuntu as it comes',
      {
        ...bwrap('0.9.0', refused),
        os: ubuntu,
        namespaces: { ...switches, apparmorRestricts: true },
      },
      'bubblewrap',
      [
        'broken',
        '0.9.0',
        'AppArmor keeps ordinary users from creating namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)',
        [
          'sudo apt-get install -y apparmor-profiles',
          'sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/',
          'sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict',
        ],
      ],
    ],
    [
      'a canary that got out',
      { hold: { why: 'it does not hold: read-secret', loose: [] } },
      'bubblewrap',
      ['broken', '0.8.0', 'the sandbox test failed: it does not hold: read-secret', null],
    ],
    [
      'limits that nothing enforces',
      { hold: { why: null, loose: ['cpus'] } },
      'bubblewrap',
      ['ok', '0.8.0', 'without cgroups there is no limit for cpus', null],
    ],
    [
      'a restriction that this bubblewrap is exempt from',
      { namespaces: { ...switches, apparmorRestricts: true } },
      'bubblewrap',
      ['ok', '0.8.0', null, null],
    ],
    [
      'a kernel for root alone',
      { ...bwrap('0.8.0', refused), namespaces: { ...switches, usersMay: false } },
      'bubblewrap',
      [
        'broken',
        '0.8.0',
        'this kernel lets only root create namespaces (kernel.unprivileged_userns_clone is 0)',
        [
          "echo 'kernel.unprivileged_userns_clone=1' | sudo tee /etc/sysctl.d/60-namespaces.conf",
          'sudo sysctl --system',
        ],
      ],
    ],
    [
      'a kernel without user namespaces',
      { ...bwrap('0.8.0', refused), namespaces: { ...switches, max: 0 } },
      'bubblewrap',
      [
        'broken',
        '0.8.0',
        'this kernel allows no user namespaces (user.max_user_namespaces is 0)',
        [
          "echo 'user.max_user_namespaces=15000' | sudo tee /etc/sysctl.d/60-namespaces.conf",
          'sudo sysctl --system',
        ],
      ],
    ],
    [
      'a container that forbids it',
      { ...bwrap('0.8.0', refused), container: 'docker' },
      'bubblewrap',
      [
        'broken',
        '0.8.0',
        'a trial sandbox failed (the docker container may forbid it): exited with code 1: bwrap: setting up uid map: Permission denied',
        null,
      ],
    ],
    [
      'root that can become another user',
      { uid: 0 },
      'bubblewrap',
      ['ok', '0.8.0', 'tested as an ordinary user', null],
    ],
    [
      'root who cannot',
      { uid: 0, bubblewrap: { ...goodMachine.bubblewrap, trial: null } },
      'bubblewrap',
      [
        'limited',
        '0.8.0',
        'a sandbox that root starts does not contain anything, and setpriv, which starts it as another user, is missing',
        ['apt-get install -y util-linux'],
      ],
    ],
    [
      'no docker',
      {},
      'docker',
      [
        'missing',
        null,
        null,
        ['sudo apt-get install -y docker.io', 'sudo systemctl enable --now docker'],
      ],
    ],
    [
      'docker with its engine',
      { docker: answered('/d', '28.2.2 with 28.2.2') },
      'docker',
      ['ok', '28.2.2', null, null],
    ],
    [
      'docker without its engine',
      { docker: failed('/d', 1, 'Cannot connect to the Docker daemon', '28.2.2\n') },
      'docker',
      [
        'limited',
        '28.2.2',
        'the client is installed, but no engine answers',
        ['sudo systemctl enable --now docker'],
      ],
    ],
    [
      'an engine that is not for us',
      { docker: failed('/d', 1, 'permission denied while trying to connect', '28.2.2\n') },
      'docker',
      [
        'limited',
        '28.2.2',
        'you have no access to the engine; membership in its group is equivalent to root',
        ['sudo usermod -aG docker "$USER"', 'newgrp docker'],
      ],
    ],
    [
      'podman that is not set up',
      {
        podman: {
          version: answered('/p', 'podman version 4.9.3'),
          trial: failed('/p', 125, 'no subuid ranges'),
        },
      },
      'podman',
      ['broken', '4.9.3', 'exited with code 125: no subuid ranges', null],
    ],
    [
      'the sandbox of macOS',
      { platform: 'darwin', seatbelt: answered('/usr/bin/sandbox-exec', '') },
      'seatbelt',
      [
        'ok',
        '/usr/bin/sandbox-exec',
        'experimental: it restricts files and network, but not memory, processes or CPUs',
        null,
      ],
    ],
  ];
  testFindings(cases, (facts) => diagnoseSandbox(facts));
});
