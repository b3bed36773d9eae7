/** Turns the facts about a machine into a diagnosis. Pure: the same facts give the same diagnosis. */
import type { Diagnosis, Finding } from '../protocol/views/diagnosis.ts';
import { diagnoseAgents } from './diagnose-agents.ts';
import { diagnoseRuntime } from './diagnose-runtime.ts';
import { diagnoseSandbox } from './diagnose-sandbox.ts';
import { diagnoseState } from './diagnose-state.ts';
import type { MachineFacts } from './machine-facts.ts';

/** Without these nothing runs. Everything else only limits what runs. */
const REQUIRED = new Set(['node', 'sqlite', 'state-folder', 'disk', 'journal', 'settings']);

export function diagnose(facts: MachineFacts): Diagnosis {
  const findings = [
    ...diagnoseRuntime(facts),
    ...diagnoseSandbox(facts),
    ...diagnoseAgents(facts),
    ...diagnoseState(facts),
  ];
  const ids = (isWanted: (finding: Finding) => boolean): string[] =>
    findings.filter(isWanted).map(({ id }) => id);
  const blockers = ids(({ id, state }) => REQUIRED.has(id) && state === 'broken');
  const [sandbox = null] = ids(({ section, state }) => section === 'sandbox' && state === 'ok');
  const ready = ids(({ section, state }) => section === 'agents' && state === 'ok');
  return {
    findings,
    verdict: {
      canRun: blockers.length === 0,
      blockers,
      sandbox,
      ready,
      suggestion: suggest(findings, blockers, sandbox),
    },
  };
}

type Suggestion = Diagnosis['verdict']['suggestion'];

/** The command to try next on this machine. */
function suggest(
  findings: readonly Finding[],
  blockers: readonly string[],
  sandbox: string | null,
): Suggestion {
  const blocker = findings.find(({ id }) => id === blockers[0]);
  if (blocker !== undefined) {
    const [command] = blocker.get ?? [];
    const because = `${blocker.title}: ${blocker.note ?? 'does not work'}.`;
    return command === undefined ? null : { because, command };
  }
  if (sandbox === null)
    return { because: 'Install a sandbox for every other run.', command: tryWith('scripted') };
  const best = findings.find(
    ({ section, state, id }) => section === 'agents' && state === 'ok' && id !== 'scripted',
  );
  if (best !== undefined) {
    const name = best.found?.startsWith('/')
      ? `${best.title} (${best.found})`
      : `${best.title} ${best.found}`;
    return { because: `You have ${name}.`, command: tryWith(best.id) };
  }
  return {
    because: 'No agent CLI is ready. You can try the scripted agent, which needs none.',
    command: tryWith('scripted'),
  };
}

/** The scripted agent ignores its task, so the task names what it does in any case. */
function tryWith(agent: string): string {
  const task = agent === 'scripted' ? 'Write 5 steps into WORK.md' : 'Say hello in hello.txt';
  return `supervisor run "${task}" --agent ${agent}`;
}
