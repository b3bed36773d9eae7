/** Judges one of the agent CLIs that Supervisor knows: its version, and its logins. */
import { at, isoTime } from '../base/clock.ts';
import { formatDuration } from '../base/format-duration.ts';
import { loginFile, loginInEnvironment } from '../gateway/network/logins.ts';
import { missingKeys } from '../gateway/network/upstreams.ts';
import type { Finding } from '../protocol/views/diagnosis.ts';
import { installCli } from './install-commands.ts';
import { judgeVersion } from './judge-answer.ts';
import type { AgentFacts, LoginFact, MachineFacts } from './machine-facts.ts';
import type { AgentCli } from './supported-clis.ts';

export function diagnoseCli(agent: AgentFacts, known: AgentCli, facts: MachineFacts): Finding {
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
  const login = judgeLogins(known.cli, agent.logins, facts);
  if (login.kind === 'out')
    return {
      ...finding,
      state: 'limited',
      found: judgement.found,
      note: login.why,
      get: login.needsKey ? null : [known.login],
    };
  const tested = judgement.found === known.tried ? [] : [`tested with ${known.tried}`];
  const notes = [...login.notes, ...tested];
  return {
    ...finding,
    state: 'ok',
    found: `${judgement.found}, ${login.by}`,
    note: notes.length === 0 ? null : notes.join('; '),
    get: null,
  };
}

type LoginJudgement =
  | { readonly kind: 'in'; readonly by: string; readonly notes: readonly string[] }
  /** `needsKey`: no command helps, because only a key in a variable does. */
  | { readonly kind: 'out'; readonly why: string; readonly needsKey: boolean };

/** One login that a run can use is enough. Variables come first, as in the CLIs themselves. */
function judgeLogins(
  cli: string,
  logins: readonly LoginFact[],
  { at: now, platform }: MachineFacts,
): LoginJudgement {
  const judged = logins.map((login) => judgeLogin(cli, login, now));
  const keychain =
    platform === 'darwin' ? ' in files or variables (the keychain is not checked)' : '';
  const none = { kind: 'out', why: `no login found${keychain}`, needsKey: false } as const;
  return judged.find(({ kind }) => kind === 'in') ?? judged[0] ?? none;
}

/** A run in the sandbox uses the stored token as it is, and renews nothing. So a token that has expired is no login. */
function judgeLogin(cli: string, login: LoginFact, now: number): LoginJudgement {
  if (login.kind === 'unreadable')
    return { kind: 'out', why: `${login.path} exists but cannot be read`, needsKey: false };
  if (!worksInSandbox(cli, login)) {
    const keys = missingKeys(cli, {}).join(' or ');
    const by = login.kind === 'variable' ? `with ${login.name}` : 'logged in';
    return { kind: 'out', why: `${by}, but a run in the sandbox needs ${keys}`, needsKey: true };
  }
  if (login.kind === 'variable') return { kind: 'in', by: `with ${login.name}`, notes: [] };
  const { expiresAt } = login;
  if (expiresAt === null) return { kind: 'in', by: 'logged in', notes: [] };
  if (expiresAt > now)
    return {
      kind: 'in',
      by: 'logged in',
      notes: [`the login expires in ${formatDuration(expiresAt - now)}`],
    };
  const ago = `${formatDuration(now - expiresAt)} ago, at ${isoTime(at(expiresAt))}`;
  return { kind: 'out', why: `the login expired ${ago}`, needsKey: false };
}

/** Whether the gateway can use it. Without a sandbox, a CLI uses all of its own logins. */
function worksInSandbox(cli: string, login: LoginFact): boolean {
  if (login.kind !== 'variable') return loginFile(cli, null, '', {}) !== undefined;
  const isKey = missingKeys(cli, {}).includes(login.name);
  return isKey || loginInEnvironment(cli, { [login.name]: 'set' }) !== undefined;
}
