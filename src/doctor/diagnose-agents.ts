import { at, isoTime } from '../base/clock.ts';
import type { Finding } from '../protocol/views/diagnosis.ts';
import type { AgentCli } from './supported-clis.ts';
import { AGENT_CLI_FACTS } from './supported-clis.ts';
import type { AgentFacts, LoginFact, MachineFacts } from './machine-facts.ts';
import { installCli } from './install-commands.ts';
import { judgeVersion } from './judge-answer.ts';
import { isExpired } from './probe-logins.ts';

/** The scripted agent needs nothing, so there is always an agent to try. */
const SCRIPTED: Finding = {
  id: 'scripted',
  section: 'agents',
  title: 'scripted',
  state: 'ok',
  found: 'built in',
  note: null,
  gives: 'An agent that plays a script. It needs no model and no account, and costs nothing.',
  get: null,
};

/** `runnable` are the CLIs that this release can run. */
export function diagnoseAgents(
  facts: MachineFacts,
  runnable: readonly string[],
): readonly Finding[] {
  const findings = facts.agents.flatMap((agent) => {
    const known = AGENT_CLI_FACTS.find(({ cli }) => cli === agent.cli);
    return known === undefined ? [] : [diagnoseAgent(agent, known, facts)];
  });
  return [...findings.map((finding) => addRunnableNote(finding, runnable)), SCRIPTED];
}

function diagnoseAgent(agent: AgentFacts, known: AgentCli, facts: MachineFacts): Finding {
  const because = `Supervisor may not understand its output (tested with ${known.tried})`;
  const judgement = judgeVersion(agent.version, { least: known.least, because });
  const finding = {
    id: known.cli,
    section: 'agents',
    title: known.title,
    gives: `${known.gives} Tested with ${known.tried}.`,
  } as const;
  if (judgement.state !== 'ok') {
    const install = installCli(known.npm);
    const get = judgement.state === 'missing' ? [install, known.login] : [install];
    return { ...finding, ...judgement, get };
  }
  const login = judgeLogins(agent.logins, facts);
  return {
    ...finding,
    state: login.kind === 'in' ? 'ok' : 'limited',
    found: login.kind === 'in' ? `${judgement.found}, ${login.by}` : judgement.found,
    note:
      login.kind === 'out'
        ? login.why
        : judgement.found === known.tried
          ? null
          : `tested with ${known.tried}`,
    get: login.kind === 'in' ? null : [known.login],
  };
}

type LoginJudgement =
  | { readonly kind: 'in'; readonly by: string }
  | { readonly kind: 'out'; readonly why: string };

/** One login that works is enough. Variables come first, as in the CLIs themselves. */
function judgeLogins(
  logins: readonly LoginFact[],
  { at: now, platform }: MachineFacts,
): LoginJudgement {
  const judged = logins.map((login): LoginJudgement => {
    switch (login.kind) {
      case 'variable':
        return { kind: 'in', by: `with ${login.name}` };
      case 'file':
        return isExpired(login, now)
          ? { kind: 'out', why: `the login expired at ${isoTime(at(login.expiresAt ?? now))}` }
          : { kind: 'in', by: 'logged in' };
      case 'unreadable':
        return { kind: 'out', why: `${login.path} exists but cannot be read` };
    }
  });
  const keychain =
    platform === 'darwin' ? ' in files or variables (the keychain is not checked)' : '';
  const none: LoginJudgement = { kind: 'out', why: `no login found${keychain}` };
  return judged.find(({ kind }) => kind === 'in') ?? judged[0] ?? none;
}

function addRunnableNote(finding: Finding, runnable: readonly string[]): Finding {
  if (finding.state !== 'ok' || runnable.includes(finding.id)) return finding;
  return { ...finding, note: 'this release does not run it yet' };
}
