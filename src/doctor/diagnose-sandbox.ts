import type { Finding } from '../protocol/views/diagnosis.ts';
import type { MachineFacts, ProbeTrial } from './machine-facts.ts';
import { asRoot, getPackage } from './install-commands.ts';
import type { ProbeJudgement } from './judge-answer.ts';
import { judgeVersion, describeTrialFailure } from './judge-answer.ts';
import { findVersion } from './version.ts';

/** In the order in which they are to be preferred. */
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
  because: 'it cannot forbid that what is inside makes namespaces of its own',
};
const PODMAN = { least: '4.3', because: 'nothing older has been tried' };
const DOCKER = { least: '20.10', because: 'nothing older has been tried' };

function bubblewrap(facts: MachineFacts): Finding {
  const { state, found, note, get } = mendBubblewrap(facts);
  return {
    id: 'bubblewrap',
    section: 'sandbox',
    title: 'bubblewrap',
    state,
    found,
    note,
    gives: 'Each agent alone in a sandbox that takes no daemon, no image and a few milliseconds.',
    get,
  };
}

type Mended = ProbeJudgement & { readonly get: string[] | null };

function mendBubblewrap(facts: MachineFacts): Mended {
  const judgement = judgeVersion(facts.bubblewrap.version, BUBBLEWRAP);
  const get = getPackage('bubblewrap', judgement.state, facts);
  if (judgement.state === 'missing') return { ...judgement, get };
  const { trial } = facts.bubblewrap;
  const isRoot = facts.uid === 0;
  if (trial === null && isRoot) {
    const note =
      'a sandbox that root starts is none, and there is no setpriv to start it as somebody else';
    return { ...judgement, state: 'limited', note, get: getPackage('setpriv', 'missing', facts) };
  }
  const why = trial === null ? undefined : describeTrialFailure(trial);
  if (why !== undefined) return { found: judgement.found, ...whyNoNamespaces(facts, why) };
  const { hold } = facts;
  if (hold !== null && hold.why !== null)
    return { ...judgement, state: 'broken', note: `a canary was not held: ${hold.why}`, get: null };
  return { ...judgement, note: judgement.note ?? whatIsWorthKnowing(facts), get };
}

function whatIsWorthKnowing({ uid, hold }: MachineFacts): string | null {
  const notes = [
    ...(uid === 0 ? ['tried as an ordinary user'] : []),
    ...(hold === null || hold.loose.length === 0
      ? []
      : [`without cgroups nothing here limits ${hold.loose.join(', ')}`]),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

/** Most often it is not bubblewrap that fails: the kernel was told to refuse ordinary users. */
function whyNoNamespaces(facts: MachineFacts, why: string): Omit<Mended, 'found'> {
  const { apparmorRestricts, usersMay, max } = facts.namespaces;
  const root = (command: string): string => asRoot(command, facts);
  const persist = (line: string): string[] => [
    `echo '${line}' | ${root('tee /etc/sysctl.d/60-namespaces.conf')}`,
    root('sysctl --system'),
  ];
  if (usersMay === false)
    return {
      state: 'broken',
      note: 'this kernel lets only root make namespaces (kernel.unprivileged_userns_clone is 0)',
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
      note: 'AppArmor keeps ordinary users from making namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)',
      get: [
        root('apt-get install -y apparmor-profiles'),
        root('cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/'),
        root('apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict'),
      ],
    };
  const inside =
    facts.container === undefined
      ? ''
      : `; the ${facts.container} container around us may forbid it`;
  return { state: 'broken', note: `a trial sandbox failed${inside}: ${why}`, get: null };
}

function podman(facts: MachineFacts): Finding {
  const judgement = withTrial(judgeVersion(facts.podman.version, PODMAN), facts.podman);
  const install = getPackage('podman', judgement.state, facts);
  const machine =
    facts.platform === 'darwin' ? ['podman machine init', 'podman machine start'] : [];
  const mend = machine.length === 0 ? null : machine;
  const get = install === null || judgement.state === 'broken' ? mend : [...install, ...machine];
  return {
    id: 'podman',
    section: 'sandbox',
    title: 'Podman',
    ...judgement,
    gives: 'Agents in containers with images of your choice, without a daemon that runs as root.',
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
    gives: 'Agents in containers with images of your choice.',
  } as const;
  const answer = facts.docker;
  const isMac = facts.platform === 'darwin';
  const begin = isMac
    ? 'colima start'
    : facts.hasSystemd
      ? asRoot('systemctl enable --now docker', facts)
      : asRoot('dockerd', facts);
  // The client ends with an error when no engine answers, but says its own version first.
  const client = answer.kind === 'ended' ? findVersion(answer.stdout) : undefined;
  if (answer.kind === 'ended' && !answer.ok && client !== undefined) {
    const isRefused = /permission denied/i.test(answer.stderr);
    return {
      ...finding,
      state: 'limited',
      found: client,
      note: isRefused
        ? 'the engine does not let you in; the group that it lets in is as good as root'
        : 'the client is here, but no engine answers',
      get: isRefused ? [asRoot('usermod -aG docker "$USER"', facts), 'newgrp docker'] : [begin],
    };
  }
  const judgement = judgeVersion(answer, DOCKER);
  const install = getPackage('docker', judgement.state, facts);
  return { ...finding, ...judgement, get: install === null ? null : [...install, begin] };
}

function seatbelt({ seatbelt: trial }: MachineFacts): Finding {
  const finding = {
    id: 'seatbelt',
    section: 'sandbox',
    title: 'Seatbelt',
    gives: 'The sandbox that macOS itself brings.',
    get: null,
  } as const;
  if (trial.kind === 'absent') return { ...finding, state: 'missing', found: null, note: null };
  const why = describeTrialFailure(trial);
  const note =
    why ?? 'experimental: it bounds files and network, but not memory, processes or processors';
  return { ...finding, state: why === undefined ? 'ok' : 'broken', found: trial.path, note };
}
