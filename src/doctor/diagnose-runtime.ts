import type { Finding } from '../protocol/views/diagnosis.ts';
import type { MachineFacts } from './machine-facts.ts';
import { shellWord } from '../base/shell-words.ts';
import { getPackage } from './install-commands.ts';
import { judgeVersion } from './judge-answer.ts';
import { isAtLeast } from './version.ts';

const NODE_LEAST = '24';
const GIT = {
  least: '2.31',
  because: 'it cannot override the settings of an untrusted repository',
};

export function diagnoseRuntime(facts: MachineFacts): readonly Finding[] {
  return [node(facts), sqlite(facts), git(facts), account(facts), ...surroundings(facts)];
}

/** The package is in no registry that npx could ask, so the line names the file that is installed. */
function withNode(program: string): string {
  return `npx -p node@${NODE_LEAST} node ${shellWord(program)} doctor`;
}

function node({ node: { version }, program }: MachineFacts): Finding {
  const isNew = isAtLeast(version, NODE_LEAST);
  return {
    id: 'node',
    section: 'runtime',
    title: 'Node.js',
    state: isNew ? 'ok' : 'broken',
    found: version,
    note: isNew ? null : `older than ${NODE_LEAST}, which Supervisor needs`,
    gives: 'The runtime of Supervisor.',
    get: isNew ? null : [withNode(program)],
  };
}

function sqlite({ sqlite: trial, program }: MachineFacts): Finding {
  const works = trial.kind === 'works';
  return {
    id: 'sqlite',
    section: 'runtime',
    title: 'SQLite',
    state: works ? 'ok' : 'broken',
    found: works ? trial.version : null,
    note: works ? null : `the SQLite of this Node does not work: ${trial.why}`,
    gives: 'The journal, in which every step of a run is recorded first.',
    get: works ? null : [withNode(program)],
  };
}

function git(facts: MachineFacts): Finding {
  const judgement = judgeVersion(facts.git, GIT);
  return {
    id: 'git',
    section: 'runtime',
    title: 'git',
    ...judgement,
    gives: 'A separate workspace for each run, and changes that can be compared, kept and undone.',
    get: getPackage('git', judgement.state, facts),
  };
}

function account(facts: MachineFacts): Finding {
  const isRoot = facts.uid === 0;
  return {
    id: 'account',
    section: 'runtime',
    title: 'account',
    state: isRoot ? 'limited' : 'ok',
    found: isRoot ? 'root' : facts.uid === undefined ? null : `uid ${facts.uid}`,
    note: isRoot
      ? 'an agent that escapes its sandbox controls the machine, and some CLIs refuse to run unattended as root'
      : null,
    gives: 'An ordinary user limits the damage that an agent can do.',
    get:
      isRoot && facts.platform === 'linux' ? ['useradd --create-home agents', 'su - agents'] : null,
  };
}

function surroundings({ container, ci }: MachineFacts): readonly Finding[] {
  const common = { section: 'runtime', state: 'ok', get: null } as const;
  const findings: Finding[] = [];
  if (container !== undefined)
    findings.push({
      ...common,
      id: 'container',
      title: 'container',
      found: container,
      note: 'the state is deleted with the container, unless SUPERVISOR_HOME is on a volume',
      gives: 'Isolation of all agents from the host, but not from each other.',
    });
  if (ci !== undefined)
    findings.push({
      ...common,
      id: 'ci',
      title: 'CI',
      found: ci,
      note: 'use --foreground, because background processes end with the job',
      gives: 'An unattended machine.',
    });
  return findings;
}
