import type { Finding } from '../protocol/views/diagnosis.ts';
import type { MachineFacts, ProbeTrial } from './machine-facts.ts';
import { asRoot, getPackage } from './install-commands.ts';
import type { ProbeJudgement } from './judge-answer.ts';
import { judgeVersion, describeTrialFailure } from './judge-answer.ts';
import { findVersion } from './version.ts';

/** In the order of preference. */
export function diagnoseSandbox(facts: MachineFacts): readonly Finding[] {
  switch (facts.platform) {
    case 'linux':
      return [bubblewrap(facts), podman(facts), docker(facts)];
    case 'darwin':
      return [seatbelt(facts), podman(facts), docker(facts)];
    default:
      return [podman(facts), docker(facts)];
  }
}

const BUBBLEWRAP = {
  least: '0.8',
  because: 'it cannot keep programs inside from creating namespaces',
};
const PODMAN = { least: '4.3', because: 'older versions are not tested' };
const DOCKER = { least: '20.10', because: 'older versions are not tested' };

function bubblewrap(facts: MachineFacts): Finding {
  const { state, found, note, get } = judgeBubblewrap(facts);
  return {
    id: 'bubblewrap',
    section: 'sandbox',
    title: 'bubblewrap',
    state,
    found,
    note,
    gives:
      'A sandbox for each agent that needs no daemon and no image, and starts in milliseconds.',
    get,
  };
}

type JudgementWithFix = ProbeJudgement & { readonly get: string[] | null };

function judgeBubblewrap(facts: MachineFacts): JudgementWithFix {
  const judgement = judgeVersion(facts.bubblewrap.version, BUBBLEWRAP);
  const get = getPackage('bubblewrap', judgement.state, facts);
  if (judgement.state === 'missing') return { ...judgement, get };
  const { trial } = facts.bubblewrap;
  const isRoot = facts.uid === 0;
  if (trial === null && isRoot) {
    const note =
      'a sandbox that root starts does not contain anything, and setpriv, which starts it as another user, is missing';
    return { ...judgement, state: 'limited', note, get: getPackage('setpriv', 'missing', facts) };
  }
  const why = trial === null ? undefined : describeTrialFailure(trial);
  if (why !== undefined) return { found: judgement.found, ...explainNoNamespaces(facts, why) };
  const { hold } = facts;
  if (hold !== null && hold.why !== null)
    return {
      ...judgement,
      state: 'broken',
      note: `the sandbox test failed: ${hold.why}`,
      get: null,
    };
  return { ...judgement, note: judgement.note ?? sandboxNotes(facts), get };
}

function sandboxNotes({ uid, hold }: MachineFacts): string | null {
  const notes = [
    ...(uid === 0 ? ['tested as an ordinary user'] : []),
    ...(hold === null || hold.loose.length === 0
      ? []
      : [`without cgroups there is no limit for ${hold.loose.join(', ')}`]),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

/** Usually bubblewrap fails because the kernel is configured to refuse namespaces to ordinary users. */
function explainNoNamespaces(facts: MachineFacts, why: string): Omit<JudgementWithFix, 'found'> {
  const { apparmorRestricts, usersMay, max } = facts.namespaces;
  const root = (command: string): string => asRoot(command, facts);
  const persist = (line: string): string[] => [
    `echo '${line}' | ${root('tee /etc/sysctl.d/60-namespaces.conf')}`,
    root('sysctl --system'),
  ];
  if (usersMay === false)
    return {
      state: 'broken',
      note: 'this kernel lets only root create namespaces (kernel.unprivileged_userns_clone is 0)',
      get: persist('kernel.unprivileged_userns_clone=1'),
    };
  if (max === 0)
    return {
      state: 'broken',
      note: 'this kernel allows no user namespaces (user.max_user_namespaces is 0)',
      get: persist('user.max_user_namespaces=15000'),
    };
  if (apparmorRestricts === true)
    return {
      state: 'broken',
      note: 'AppArmor keeps ordinary users from creating namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)',
      get: [
        root('apt-get install -y apparmor-profiles'),
        root('cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/'),
        root('apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict'),
      ],
    };
  const inside =
    facts.container === undefined ? '' : ` (the ${facts.container} container may forbid it)`;
  return { state: 'broken', note: `a trial sandbox failed${inside}: ${why}`, get: null };
}

function podman(facts: MachineFacts): Finding {
  const judgement = withTrial(judgeVersion(facts.podman.version, PODMAN), facts.podman);
  const install = getPackage('podman', judgement.state, facts);
  const machine =
    facts.platform === 'darwin' ? ['podman machine init', 'podman machine start'] : [];
  const fix = machine.length === 0 ? null : machine;
  const get = install === null || judgement.state === 'broken' ? fix : [...install, ...machine];
  return {
    id: 'podman',
    section: 'sandbox',
    title: 'Podman',
    ...judgement,
    gives:
      'Agents in containers, with images of your choice and without a daemon that runs as root.',
    get: judgement.state === 'ok' ? null : get,
  };
}

function withTrial(judgement: ProbeJudgement, { trial }: ProbeTrial): ProbeJudgement {
  const why = trial === null ? undefined : describeTrialFailure(trial);
  return why === undefined ? judgement : { ...judgement, state: 'broken', note: why };
}

function docker(facts: MachineFacts): Finding {
  const finding = {
    id: 'docker',
    section: 'sandbox',
    title: 'Docker',
    gives: 'Agents in containers, with images of your choice.',
  } as const;
  const answer = facts.docker;
  const isMac = facts.platform === 'darwin';
  const start = isMac
    ? 'colima start'
    : facts.hasSystemd
      ? asRoot('systemctl enable --now docker', facts)
      : asRoot('dockerd', facts);
  // If no engine answers, the client exits with an error, but prints its own version first.
  const client = answer.kind === 'ended' ? findVersion(answer.stdout) : undefined;
  if (answer.kind === 'ended' && !answer.ok && client !== undefined) {
    const isRefused = /permission denied/i.test(answer.stderr);
    return {
      ...finding,
      state: 'limited',
      found: client,
      note: isRefused
        ? 'you have no access to the engine; membership in its group is equivalent to root'
        : 'the client is installed, but no engine answers',
      get: isRefused ? [asRoot('usermod -aG docker "$USER"', facts), 'newgrp docker'] : [start],
    };
  }
  const judgement = judgeVersion(answer, DOCKER);
  const install = getPackage('docker', judgement.state, facts);
  return { ...finding, ...judgement, get: install === null ? null : [...install, start] };
}

function seatbelt({ seatbelt: trial }: MachineFacts): Finding {
  const finding = {
    id: 'seatbelt',
    section: 'sandbox',
    title: 'Seatbelt',
    gives: 'The built-in sandbox of macOS.',
    get: null,
  } as const;
  if (trial.kind === 'absent') return { ...finding, state: 'missing', found: null, note: null };
  const why = describeTrialFailure(trial);
  const note =
    why ?? 'experimental: it restricts files and network, but not memory, processes or CPUs';
  return { ...finding, state: why === undefined ? 'ok' : 'broken', found: trial.path, note };
}
